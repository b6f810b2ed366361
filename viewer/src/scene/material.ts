// The one material of the scene: matte, a little darker where the surface turns away, so that outlines read
// clearly; and nothing is ever thinner than a pixel, so that a long thin chain does not break up into dots.
import { DoubleSide, MeshLambertMaterial } from "three";

/** The smallest half width that is drawn, in metres: most of a pixel. The stage keeps it up to date. */
export const thinnest = { value: 0 };

export function surface(opacity: number, twoSided = false): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ transparent: opacity < 1, opacity, depthWrite: opacity >= 1 });
  if (twoSided) material.side = DoubleSide;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.thinnest = thinnest;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nuniform float thinnest;")
      .replace(
        "#include <begin_vertex>",
        `#include <begin_vertex>
         #ifdef USE_INSTANCING
           mat3 axes = mat3(instanceMatrix);
           vec3 span = vec3(length(axes[0]), length(axes[1]), length(axes[2]));
           transformed *= max(vec3(1.0), thinnest / max(span, vec3(1e-3 * thinnest + 1e-30)));
         #endif`,
      );
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <opaque_fragment>",
      `float facing = isOrthographic ? abs(normal.z) : abs(dot(normalize(normal), normalize(vViewPosition)));
       outgoingLight *= mix(0.62, 1.0, smoothstep(0.0, 0.42, facing));
       #include <opaque_fragment>`,
    );
  };
  return material;
}

/** The same, for coils: vertices are moved along z by their share of the instance's stretch. */
export function coilSurface(): MeshLambertMaterial {
  const material = surface(1);
  const shade = material.onBeforeCompile;
  material.onBeforeCompile = (shader, renderer) => {
    shade.call(material, shader, renderer);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float along;\nattribute float stretch;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed.z += along * stretch;");
  };
  material.customProgramCacheKey = () => "coil";
  return material;
}
