#include "trammel/page/sweep_script.h"

namespace trammel {

const char* const sweep_page_style = R"css(
:root{--ground:#fff;--card:#f6f7f9;--text:#1b1f24;--muted:#667085;--line:#d5d9e0}
@media(prefers-color-scheme:dark){:root{--ground:#14171c;--card:#1d2129;--text:#e6e9ef;--muted:#98a2b3;--line:#343a46}}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.45 system-ui,sans-serif}
main{max-width:1150px;margin:0 auto;padding:20px}
h1{font-size:1.5rem;margin:0 0 2px}h2{font-size:1.05rem;margin:22px 0 8px}
p{margin:0 0 8px;color:var(--muted)}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px}
.columns{display:grid;grid-template-columns:1fr 1fr;gap:16px}
@media(max-width:800px){.columns{grid-template-columns:1fr}}
canvas{width:100%;display:block}
label{margin-right:14px;color:var(--muted);font-size:.9rem}
select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:4px}
table{border-collapse:collapse;font-size:.87rem}
td,th{padding:2px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
td.text{text-align:left;white-space:normal;color:var(--muted)}
.scroll{overflow:auto;max-height:420px}
iframe{width:100%;height:640px;border:1px solid var(--line);border-radius:6px;background:#fff}
#tip{min-height:1.4em;color:var(--text)}
)css";

const char* const sweep_page_body = R"html(
<p id="tip"></p>
<div><label>column <select id="column"></select></label><label>across <select id="across"></select></label>
<label>up <select id="up"></select></label></div>
<section><h2>Parallel coordinates</h2><div class="card"><canvas id="parallel"></canvas></div></section>
<div class="columns">
<section><h2>Scatter</h2><div class="card"><canvas id="scatter"></canvas></div></section>
<section><h2>Heat map</h2><div class="card"><canvas id="heat"></canvas></div></section>
</div>
<section id="worst"><h2>Worst cases</h2></section>
<section id="failed"><h2>Runs that failed</h2></section>
)html";

const char* const sweep_page_script = R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const axes = data.parameters.concat(data.columns);
const find = id => document.getElementById(id);
const nameOf = a => axes[a].name + (axes[a].unit ? ' [' + axes[a].unit + ']' : '');
const short = x => x === null ? '–' : Number(x.toPrecision(4)).toString();
const state = {column: axes.findIndex(a => a.name === data.ranked), across: 0,
               up: data.parameters.length > 1 ? 1 : data.parameters.length, lit: null};
for (const id of ['column', 'across', 'up']) {
  const select = find(id);
  axes.forEach((a, i) => { const o = document.createElement('option'); o.value = i; o.textContent = nameOf(i); select.append(o); });
  select.value = state[id];
  select.onchange = () => { state[id] = Number(select.value); draw(); };
}
find('subtitle').textContent = data.rows.length + ' of ' + data.runs + ' runs' +
  (data.failed.length ? ', ' + data.failed.length + ' failed' : '');

function scaleOf(a) {
  const log = axes[a].log, to = x => log ? Math.log10(x) : x;
  let low = Infinity, high = -Infinity;
  for (const r of data.rows) { const x = r.values[a]; if (x !== null) { low = Math.min(low, x); high = Math.max(high, x); } }
  if (!(low < Infinity)) { low = 0; high = 1; }
  const l = to(low), h = to(high);
  return {low, high, at: x => h > l ? (to(x) - l) / (h - l) : 0.5,
          ticks: [0, 0.25, 0.5, 0.75, 1].map(u => [u, log ? 10 ** (l + u * (h - l)) : l + u * (h - l)])};
}
// dark blue to yellow, even in brightness
const colours = [[48, 18, 90], [59, 82, 139], [33, 145, 140], [94, 201, 98], [250, 220, 40]];
function colour(u, alpha) {
  const x = Math.max(0, Math.min(1, u)) * 4, i = Math.min(3, Math.floor(x)), f = x - i;
  const c = colours[i].map((a, k) => Math.round(a + f * (colours[i + 1][k] - a)));
  return `rgba(${c[0]},${c[1]},${c[2]},${alpha})`;
}
function sheet(id, height) {
  const canvas = find(id), width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + 'px';
  const g = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  g.scale(ratio, ratio);
  g.font = '12px system-ui,sans-serif';
  return {g, width, height, text: style.getPropertyValue('--text'), line: style.getPropertyValue('--line'),
          muted: style.getPropertyValue('--muted')};
}
function tell(r) {
  state.lit = r;
  find('tip').textContent = r ? 'run ' + r.run + ': ' + axes.map((a, i) => i < data.parameters.length || i === state.column || i === state.across || i === state.up
    ? nameOf(i) + ' = ' + short(r.values[i]) : null).filter(x => x).join(', ') : '';
}
const ordered = () => data.rows.filter(r => r.values[state.column] !== null)
  .sort((a, b) => a.values[state.column] - b.values[state.column]);

function drawParallel() {
  const s = sheet('parallel', 300), g = s.g;
  const shown = [...data.parameters.keys()];
  for (const a of [state.column, state.across, state.up]) if (!shown.includes(a)) shown.push(a);
  const left = 60, right = s.width - 60, top = 34, bottom = s.height - 14;
  const x = i => shown.length > 1 ? left + (right - left) * i / (shown.length - 1) : left;
  const scales = shown.map(scaleOf), value = scaleOf(state.column);
  const path = r => { g.beginPath(); shown.forEach((a, i) => {
    const v = r.values[a]; if (v === null) return;
    const y = bottom - (bottom - top) * scales[i].at(v); i ? g.lineTo(x(i), y) : g.moveTo(x(i), y); }); g.stroke(); };
  const alpha = Math.max(0.08, Math.min(0.8, 60 / data.rows.length));
  for (const r of ordered()) { g.strokeStyle = colour(value.at(r.values[state.column]), alpha); g.lineWidth = 1.2; path(r); }
  if (state.lit) { g.strokeStyle = s.text; g.lineWidth = 2.5; path(state.lit); }
  shown.forEach((a, i) => {
    g.strokeStyle = s.muted; g.lineWidth = 1; g.beginPath(); g.moveTo(x(i), top); g.lineTo(x(i), bottom); g.stroke();
    g.fillStyle = s.text; g.textAlign = i === 0 ? 'left' : i === shown.length - 1 ? 'right' : 'center';
    g.fillText(nameOf(a), i === 0 ? 4 : i === shown.length - 1 ? s.width - 4 : x(i), 12);
    g.fillStyle = s.muted;
    g.fillText(short(scales[i].high), i === 0 ? 4 : i === shown.length - 1 ? s.width - 4 : x(i), 28);
    g.fillText(short(scales[i].low), i === 0 ? 4 : i === shown.length - 1 ? s.width - 4 : x(i), s.height - 2);
  });
}
function frame(s) {
  const box = {left: 62, right: s.width - 14, top: 12, bottom: s.height - 40}, across = scaleOf(state.across), up = scaleOf(state.up);
  s.g.strokeStyle = s.line; s.g.fillStyle = s.muted; s.g.lineWidth = 1;
  s.g.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  const px = v => box.left + (box.right - box.left) * across.at(v), py = v => box.bottom - (box.bottom - box.top) * up.at(v);
  for (const [u, v] of across.ticks) { s.g.textAlign = u === 1 ? 'right' : 'center'; s.g.fillText(short(v), box.left + (box.right - box.left) * u, box.bottom + 15); }
  s.g.textAlign = 'right';
  for (const [u, v] of up.ticks) s.g.fillText(short(v), box.left - 5, box.bottom - (box.bottom - box.top) * u + 4);
  s.g.fillStyle = s.text; s.g.textAlign = 'center'; s.g.fillText(nameOf(state.across), (box.left + box.right) / 2, s.height - 8);
  s.g.save(); s.g.translate(11, (box.top + box.bottom) / 2); s.g.rotate(-Math.PI / 2); s.g.fillText(nameOf(state.up), 0, 0); s.g.restore();
  return {box, px, py, across, up};
}
let places = [];
function drawScatter() {
  const s = sheet('scatter', 340), f = frame(s), value = scaleOf(state.column);
  places = [];
  for (const r of ordered()) {
    const a = r.values[state.across], b = r.values[state.up];
    if (a === null || b === null) continue;
    const x = f.px(a), y = f.py(b);
    places.push([x, y, r]);
    s.g.fillStyle = colour(value.at(r.values[state.column]), 0.85);
    s.g.beginPath(); s.g.arc(x, y, r === state.lit ? 6 : 3.5, 0, 7); s.g.fill();
    if (r === state.lit) { s.g.strokeStyle = s.text; s.g.stroke(); }
  }
}
function drawHeat() {
  const s = sheet('heat', 340), f = frame(s), value = scaleOf(state.column);
  // as many cells as there are different values, or a coarse raster of points that are drawn at random
  const cells = a => { const n = new Set(data.rows.map(r => r.values[a])).size; return n <= 60 ? Math.max(n, 1) : Math.max(4, Math.round(Math.sqrt(data.rows.length / 3))); };
  const nx = cells(state.across), ny = cells(state.up), sum = new Map();
  for (const r of data.rows) {
    const a = r.values[state.across], b = r.values[state.up], v = r.values[state.column];
    if (a === null || b === null || v === null) continue;
    const i = Math.min(nx - 1, Math.floor(f.across.at(a) * nx * 0.999999)), k = Math.min(ny - 1, Math.floor(f.up.at(b) * ny * 0.999999));
    const cell = sum.get(i + nx * k) || [0, 0]; cell[0] += v; cell[1] += 1; sum.set(i + nx * k, cell);
  }
  const w = (f.box.right - f.box.left) / nx, h = (f.box.bottom - f.box.top) / ny;
  for (const [key, [total, count]] of sum) {
    s.g.fillStyle = colour(value.at(total / count), 1);
    s.g.fillRect(f.box.left + (key % nx) * w, f.box.bottom - (Math.floor(key / nx) + 1) * h, w + 0.5, h + 0.5);
  }
  s.g.textAlign = 'right'; s.g.fillStyle = s.muted;
  s.g.fillText(short(value.low) + ' … ' + short(value.high), f.box.right, s.height - 8);
}
function draw() { drawParallel(); drawScatter(); drawHeat(); }
find('scatter').onmousemove = event => {
  let near = null, least = 400;
  for (const [x, y, r] of places) { const d = (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2; if (d < least) { least = d; near = r; } }
  if (near !== state.lit) { tell(near); draw(); }
};
if (!data.worst.length) find('worst').remove();
for (const w of data.worst) {
  const r = data.rows.find(row => row.run === w.run), d = document.createElement('details'), t = document.createElement('summary');
  t.textContent = 'run ' + w.run + ': ' + data.ranked + ' = ' + short(r.values[axes.findIndex(a => a.name === data.ranked)]) + '; ' +
    data.parameters.map((p, i) => p.name + ' = ' + short(r.values[i])).join(', ');
  d.append(t);
  d.ontoggle = () => { if (d.open && !d.querySelector('iframe')) { const f = document.createElement('iframe'); f.src = w.page; d.append(f); } };
  find('worst').append(d);
}
const first = find('worst') && find('worst').querySelector('details');
if (first) first.open = true;
if (!data.failed.length) find('failed').remove();
else {
  const box = document.createElement('div'), table = document.createElement('table');
  box.className = 'card scroll';
  const line = (words, tag) => { const tr = document.createElement('tr'); words.forEach((word, i) => { const td = document.createElement(tag);
    td.textContent = word; if (i === words.length - 1) td.className = 'text'; tr.append(td); }); table.append(tr); };
  line(['run'].concat(data.parameters.map(p => p.name), 'reason'), 'th');
  for (const r of data.failed.slice(0, 500)) line([r.run].concat(r.point.map(short), r.status + ': ' + r.message), 'td');
  box.append(table); find('failed').append(box);
}
window.onresize = draw;
draw();
)js";

}  // namespace trammel
