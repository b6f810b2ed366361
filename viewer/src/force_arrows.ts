// Which forces of a run can be drawn as arrows, and what they are at any time.
import { validPoint } from "./body_shapes";
import type { ForceData, JointData, SceneData, Triple } from "./format";
import type { Poses } from "./poses";
import type { Channel, Run } from "./run";
import { length, scaled, subtract, unit } from "./vectors";

/** A force on a point of a body. */
export interface Arrow {
  body: number;
  point: Triple;
  color: "reaction" | "force";
  channels: Channel[];
  /** The force in the world, from the values of the channels. */
  vector(values: number[], poses: Poses): Triple;
}

/** The arrow of a joint or force, if the run has what it takes. It acts on the second body. */
function arrowOf(connection: JointData & ForceData, color: Arrow["color"], scene: SceneData, run: Run): Arrow | null {
  const [a, b] = [0, 1].map((i) => validPoint(connection.points?.[i]));
  const [first, body] = connection.bodies;
  const point = b ?? a;
  if (!point || !scene.bodies[body]) return null;
  const make = (names: string[], vector: Arrow["vector"]): Arrow | null => {
    const channels = names.map((name) => run.channel(name));
    return channels.every((channel) => channel) ? { body, point, color, channels: channels as Channel[], vector } : null;
  };
  const { reaction, tension, push } = connection;
  if (reaction?.length === 3) return make(reaction, (values) => values as Triple);
  if (tension && a && b && scene.bodies[first])
    return make([tension], ([pull], poses) => {
      const along = subtract(poses.world(first, a), poses.world(body, b));
      return length(along) > 0 ? scaled(unit(along), pull) : [0, 0, 0];
    });
  const direction = validPoint(push?.direction);
  if (push && direction) return make([push.channel], ([force]) => scaled(direction, force));
  return null;
}

export function arrowsOf(scene: SceneData, run: Run): Arrow[] {
  const all = [
    ...(scene.joints ?? []).map((joint) => arrowOf(joint, "reaction", scene, run)),
    ...(scene.forces ?? []).map((force) => arrowOf(force, "force", scene, run)),
  ];
  return all.filter((arrow): arrow is Arrow => arrow !== null);
}
