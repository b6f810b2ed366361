#include "trammel/page/planar_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/result/markup.h"

namespace trammel {
namespace {

// Time runs from 0 to |end - start| in the script, whichever way the run went.
constexpr const char* script = R"js('use strict';
(() => {
  const find = id => document.getElementById('planar-' + id);
  const data = JSON.parse(find('data').textContent);
  const canvas = find('canvas'), context = canvas.getContext('2d');
  const button = find('play'), scrubber = find('scrubber'), speed = find('speed'), clock = find('clock');
  const duration = Math.abs(data.end - data.start), direction = data.end < data.start ? -1 : 1;
  const last = data.moments.length - 1;
  const decimals = duration > 0 ? Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(duration)))) : 3;
  const events = data.events.filter(event => event.t !== null);
  let elapsed = 0, playing = false, previous = 0, width = 0, height = 0, colours = {};

  // the frame shown at a time: between index and index + 1
  function frameAt(time) {
    const moment = duration > 0 ? time / duration * data.moments_per_run : 0;
    let low = 0, high = Math.max(0, last);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (data.moments[middle] <= moment) low = middle; else high = middle - 1;
    }
    const gap = low < last ? data.moments[low + 1] - data.moments[low] : 0;
    return {index: low, weight: gap > 0 ? Math.min(1, (moment - data.moments[low]) / gap) : 0};
  }

  function coordinate(track, frame) {
    if (!Array.isArray(track)) return track;
    const a = track[frame.index] ?? null;
    if (frame.weight === 0 || a === null) return a;
    const b = track[frame.index + 1] ?? null;
    return b === null ? null : a + frame.weight * (b - a);
  }

  // equal axes, y upwards, the whole motion in view
  function view() {
    const margin = Math.min(28, width / 10, height / 10);
    const scale = Math.min((width - 2 * margin) / data.size[0], (height - 2 * margin) / data.size[1]);
    return {
      scale,
      x: x => width / 2 + (x - data.size[0] / 2) * scale,
      y: y => height / 2 - (y - data.size[1] / 2) * scale
    };
  }

  function place(point, frame, to) {
    const x = coordinate(point.x, frame), y = coordinate(point.y, frame);
    return x === null || y === null || x === undefined || y === undefined ? null : [to.x(x), to.y(y)];
  }

  function drawGrid(to) {
    const wanted = 70 * data.unit / to.scale, decade = 10 ** Math.floor(Math.log10(wanted));
    const step = decade * [1, 2, 5, 10].find(factor => factor * decade >= wanted * 0.999);
    const pixels = step / data.unit * to.scale;
    const zero = [to.x(-data.origin[0] / data.unit), to.y(-data.origin[1] / data.unit)];
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (let x = ((zero[0] % pixels) + pixels) % pixels; x < width; x += pixels) {
      context.moveTo(x, 0);
      context.lineTo(x, height);
    }
    for (let y = ((zero[1] % pixels) + pixels) % pixels; y < height; y += pixels) {
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
    context.stroke();
    context.fillStyle = colours.muted;
    context.font = '12px system-ui, sans-serif';
    context.fillText('grid ' + Number(step.toPrecision(3)), 8, height - 8);
  }

  // the path of a point from the start to a frame
  function drawTrace(point, end, to, opacity) {
    let pen = false;
    const visit = frame => {
      const position = place(point, frame, to);
      if (position && pen) context.lineTo(...position);
      if (position && !pen) context.moveTo(...position);
      pen = position !== null;
    };
    context.globalAlpha = opacity;
    context.beginPath();
    for (let index = 0; index <= end.index; ++index) visit({index, weight: 0});
    visit(end);
    context.stroke();
    context.globalAlpha = 1;
  }

  function draw() {
    const frame = frameAt(elapsed), to = view();
    context.clearRect(0, 0, width, height);
    drawGrid(to);
    context.lineWidth = 1.5;
    data.traces.forEach((index, number) => {
      context.strokeStyle = colours.lines[(number + 1) % colours.lines.length];
      drawTrace(data.points[index], {index: last, weight: 0}, to, 0.22);
      drawTrace(data.points[index], frame, to, 0.9);
    });
    const places = data.points.map(point => place(point, frame, to));

    context.strokeStyle = colours.lines[0];
    context.lineWidth = 3;
    context.lineCap = context.lineJoin = 'round';
    for (const [from, end] of data.lines) {
      if (!places[from] || !places[end]) continue;
      context.beginPath();
      context.moveTo(...places[from]);
      context.lineTo(...places[end]);
      context.stroke();
    }
    context.lineWidth = 2;
    for (const [index, radius] of data.circles) {
      if (!places[index]) continue;
      context.beginPath();
      context.arc(...places[index], radius * to.scale, 0, 2 * Math.PI);
      context.globalAlpha = 0.18;
      context.fillStyle = colours.lines[0];
      context.fill();
      context.globalAlpha = 1;
      context.stroke();
    }
    // what stands still is a square, what moves is round
    data.points.forEach((point, index) => {
      if (!places[index]) return;
      const fixed = !Array.isArray(point.x) && !Array.isArray(point.y), [x, y] = places[index];
      context.fillStyle = colours.text;
      context.beginPath();
      if (fixed) context.rect(x - 4, y - 4, 8, 8); else context.arc(x, y, 4, 0, 2 * Math.PI);
      context.fill();
    });
  }

  function show() {
    const t = data.start + direction * elapsed;
    let name = '';
    for (const event of events) if (direction * (event.t - t) <= 0) name = event.name;
    const text = 't = ' + t.toFixed(decimals);
    clock.textContent = name ? text + ' · ' + name : text;
    scrubber.setAttribute('aria-valuetext', text);
    scrubber.value = duration > 0 ? Math.round(elapsed / duration * Number(scrubber.max)) : 0;
    draw();
  }

  function setPlaying(on) {
    playing = on && duration > 0;
    button.textContent = playing ? 'Pause' : 'Play';
    if (!playing) return;
    if (elapsed >= duration) elapsed = 0;
    previous = performance.now();
    requestAnimationFrame(advance);
  }

  function advance(now) {
    if (!playing) return;
    elapsed = Math.min(duration, elapsed + Math.max(0, now - previous) / 1000 * Number(speed.value));
    previous = now;
    show();
    if (elapsed >= duration) setPlaying(false); else requestAnimationFrame(advance);
  }

  function readColours() {
    const style = getComputedStyle(canvas), read = name => style.getPropertyValue(name).trim() || style.color;
    colours = {text: style.color, muted: read('--muted'), grid: read('--line'),
               lines: [1, 2, 3, 4, 5, 6, 7].map(number => read('--plot-' + number))};
  }

  function fit() {
    const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    width = Math.max(1, box.width);
    height = Math.max(1, box.height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    readColours();
    show();
  }

  button.addEventListener('click', () => setPlaying(!playing));
  scrubber.addEventListener('input', () => {
    setPlaying(false);
    elapsed = duration * Number(scrubber.value) / Number(scrubber.max);
    show();
  });
  new ResizeObserver(fit).observe(canvas);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fit);
  fit();
})();
)js";

constexpr std::array<double, 11> speeds = {0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100, 1000};

// Real time, unless the run is over before anyone sees it or takes too long to watch.
double first_speed(double duration) {
  double best = 1;
  for (const double speed : speeds) {
    const double seconds = duration / speed;
    const double shown = std::clamp(duration, 2.0, 60.0);
    if (std::abs(std::log(seconds / shown)) < std::abs(std::log(duration / best / shown))) best = speed;
  }
  return best;
}

std::string speed_options(double duration) {
  const double chosen = duration > 0 ? first_speed(duration) : 1;
  std::string options;
  for (const double speed : speeds) {
    options +=
        fmt::format("<option value=\"{}\"{}>{}×</option>", speed, speed == chosen ? " selected" : "", speed);
  }
  return options;
}

}  // namespace

std::string planar_player(const PlanarAnimation& animation) {
  const double start = animation.data["start"], end = animation.data["end"];
  return fmt::format(
      "<figure class=\"player\">\n"
      "<canvas id=\"planar-canvas\" role=\"img\" aria-label=\"animation of the motion\" "
      "style=\"aspect-ratio:{:.3f}\"></canvas>\n"
      "<noscript><p>The animation needs JavaScript.</p></noscript>\n"
      "<div class=\"controls\"><button type=\"button\" id=\"planar-play\">Play</button>\n"
      "<input type=\"range\" id=\"planar-scrubber\" min=\"0\" max=\"1000\" step=\"1\" value=\"0\" "
      "aria-label=\"time\">\n"
      "<label>Speed <select id=\"planar-speed\">{}</select></label>\n"
      "<span id=\"planar-clock\"></span></div>\n"
      "</figure>\n"
      "<script type=\"application/json\" id=\"planar-data\">{}</script>\n"
      "<script>{}</script>\n",
      std::clamp(1 / animation.aspect, 0.75, 2.0), speed_options(std::abs(end - start)),
      embedded_json(animation.data), script);
}

}  // namespace trammel
