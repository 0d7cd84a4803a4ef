
'use strict';

// Frames in the order of the data: each behind the one that it is called by.
const level = [], width = [], key = [], parent = [];
let left = [], weight = [], others = [];
const HIGH = 16, LEAST_PIXELS = 0.5, LEAST_TEXT = 21, GLYPH = 7;
const $ = id => document.getElementById(id);
const data = document.body.dataset;

// ---- the data: what async-profiler's pages call these functions with

let level0 = 0, left0 = 0, width0 = 0;
const last = [];

function f(k, l, x, w) {
  level0 = l;
  left0 += x;
  width0 = w || width0;
  last[l] = level.length;
  parent.push(l === 0 ? -1 : last[l - 1]);
  key.push(k);
  level.push(l);
  left.push(left0);
  width.push(width0);
}
function u(k, w) { f(k, level0 + 1, 0, w); }
function n(k, w) { f(k, level0, width0, w); }
function unpack(pool) {
  for (let i = 1; i < pool.length; i++) {
    pool[i] = pool[i - 1].substring(0, pool[i].charCodeAt(0) - 32) + pool[i].substring(1);
  }
}

// ---- what is shown

const state = { zoom: 0, select: -1, search: '', invert: false, tree: false, theme: '', hide: [] };
let byLevel = [], levels = 0, visible = [], total = 0, otherTotal = 0, steepest = 0;
let pattern = null, matching = null, matches = [], own = [], drawn = new Map(), notDrawn = 0;

const name = i => cpool[key[i] >>> 3];
const count = value => value.toLocaleString('en-US');
// Weights are whole numbers of units of their last decimal.
const weighed = value => (value / 10 ** data.decimals).toLocaleString('en-US', { maximumFractionDigits: +data.decimals });
const many = (value, noun) => count(value) + ' ' + noun + (value === 1 ? '' : 's');
const percent = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : '0.0 %';
const compared = () => others.length > 0;

// The change of a frame's share of all, from the first profile to the second.
function change(i) {
  const here = total > 0 ? weight[i] / total : 0;
  const there = otherTotal > 0 ? others[i] / otherTotal : 0;
  return data.side === 'after' ? here - there : there - here;
}
const changeText = x => (x < -0.0005 / 100 ? '-' : x > 0.0005 / 100 ? '+' : '') + Math.abs(100 * x).toFixed(1);

// Weights and places without what is hidden.
function place() {
  const hidden = new Set(state.hide);
  weight = own.slice();
  for (let i = level.length - 1; i > 0; i--) {
    if (hidden.has(i)) weight[i] = 0;
    weight[parent[i]] += weight[i];
  }
  for (let i = 1; i < level.length; i++) {
    if (weight[parent[i]] === 0) weight[i] = 0;
  }
  const end = [];
  left = [];
  for (let i = 0; i < level.length; i++) {
    left[i] = i === 0 ? 0 : end[parent[i]];
    end[i] = left[i];
    if (i > 0) end[parent[i]] += weight[i];
  }
}

// The first frame of a level that ends behind a place.
function firstBehind(frames, x) {
  let low = 0, high = frames.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (left[frames[middle]] + weight[frames[middle]] > x) high = middle; else low = middle + 1;
  }
  return low;
}

// What is to be drawn, level by level.
function layout() {
  const root = state.zoom, x = left[root], end = x + weight[root];
  const wide = $('graph').clientWidth || 1, scale = weight[root] > 0 ? wide / weight[root] : 0;
  visible = [];
  notDrawn = 0;
  for (let i = root; i > 0; i = parent[i]) visible[level[parent[i]]] = [parent[i]];
  for (let l = level[root]; l < levels; l++) {
    const frames = byLevel[l], row = [];
    for (let j = firstBehind(frames, x); j < frames.length && left[frames[j]] < end; j++) {
      const i = frames[j];
      if (weight[i] > 0 && left[i] >= x) {
        if (weight[i] * scale >= LEAST_PIXELS) row.push(i); else notDrawn++;
      }
    }
    if (row.length > 0) visible[l] = row;
  }
  $('graph').style.height = visible.length * HIGH + 'px';
  drawn.forEach(element => element.remove());
  drawn = new Map();
  draw();
  notes();
}

const colours = { 0: [200, 200, 200], 1: [80, 225, 80], 2: [80, 204, 204], 3: [225, 90, 90], 4: [200, 200, 60], 5: [225, 125, 0] };

// The same name has the same colour in every graph.
function hash(text) {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h, 31) + text.charCodeAt(i) | 0;
  return h >>> 0;
}
function colour(i) {
  if (matching && matching[i]) return 'rgb(230, 0, 230)';
  if (compared() && i > 0) {
    if (data.side === 'after' && others[i] === 0) return 'rgb(255, 225, 60)';
    const strength = steepest > 0 ? Math.min(1, Math.abs(change(i)) / steepest) : 0;
    const rest = Math.round(235 - 165 * strength);
    return change(i) > 0 ? `rgb(255, ${rest}, ${rest})` : change(i) < 0 ? `rgb(${rest}, ${rest}, 255)` : 'rgb(235, 235, 235)';
  }
  const base = colours[i === 0 ? 0 : key[i] & 7] || colours[3], shade = hash(name(i)) % 40 - 10;
  return 'rgb(' + base.map(c => Math.max(0, Math.min(255, c + shade))).join(', ') + ')';
}

function describe(i) {
  const side = compared() ? data.side + ' ' : '';
  let text = name(i) + '\n' + side + weighed(weight[i]) + ' ' + data.unit + ', ' + percent(weight[i], weight[0]) + ' of all';
  if (state.zoom !== 0) text += ', ' + percent(weight[i], weight[state.zoom]) + ' of what is shown';
  if (compared()) {
    text += '\n' + (data.side === 'after' ? 'before ' : 'after ') + weighed(others[i]) + ' ' + data.unit + ', '
      + percent(others[i], otherTotal) + ' of all; change of the share ' + changeText(change(i));
  }
  return text;
}

// Makes elements for the rows that can be seen, with some above and below.
function draw() {
  const graph = $('graph'), from = -graph.getBoundingClientRect().top, high = window.innerHeight;
  const wide = graph.clientWidth || 1, root = state.zoom, scale = weight[root] > 0 ? wide / weight[root] : 0;
  for (let l = 0; l < visible.length; l++) {
    const top = (state.invert ? visible.length - 1 - l : l) * HIGH;
    const seen = top > from - high && top < from + 2 * high;
    for (const i of visible[l] || []) {
      if (!seen) {
        if (drawn.has(i)) { drawn.get(i).remove(); drawn.delete(i); }
        continue;
      }
      if (drawn.has(i)) continue;
      const above = l < level[root], element = document.createElement('div');
      const pixels = above ? wide : weight[i] * scale;
      element.style.top = top + 'px';
      element.style.left = (above ? 0 : (left[i] - left[root]) * scale) + 'px';
      element.style.width = Math.max(LEAST_PIXELS, pixels) + 'px';
      element.style.background = colour(i);
      if (above) element.className = 'above';
      if (pixels < LEAST_TEXT) element.classList.add('narrow');
      else element.textContent = name(i).substring(0, Math.ceil(pixels / GLYPH) + 20);
      if (i === state.select) element.classList.add('selected');
      element.title = describe(i);
      element.dataset.frame = i;
      graph.append(element);
      drawn.set(i, element);
    }
  }
}

const kinds = { 1: 'compiled while it ran (.NET)', 2: 'inlined', 3: 'program or library', 4: 'process', 5: 'kernel' };

// What the colours of the frames that are there mean.
function legend() {
  const rows = [];
  const rgb = c => 'rgb(' + c.join(', ') + ')';
  if (compared()) {
    rows.push([rgb([255, 70, 70]), 'share grew'], [rgb([70, 70, 255]), 'share shrank'], [rgb([235, 235, 235]), 'as before']);
    if (data.side === 'after') rows.push([rgb([255, 225, 60]), 'new']);
  } else {
    const there = new Set(key.slice(1).map(k => colours[k & 7] ? k & 7 : 3));
    for (const kind of [3, 2, 1, 5, 4]) if (there.has(kind)) rows.push([rgb(colours[kind]), kinds[kind]]);
    rows.push([rgb(colours[0]), 'all']);
  }
  if (matching) rows.push([rgb([230, 0, 230]), 'found']);
  $('legend').replaceChildren(...rows.map(([background, text]) => {
    const span = document.createElement('span'), box = document.createElement('i');
    box.style.background = background;
    span.append(box, text);
    return span;
  }));
}

function notes() {
  const parts = [];
  if (+data.left > 0) {
    parts.push(many(+data.left, 'frame') + ' below ' + data.percent + ' % of all left out: the weight stays with what calls them');
  }
  if (notDrawn > 0) parts.push(many(notDrawn, 'frame') + ' too narrow to be drawn here: zoom in');
  if (state.hide.length > 0) parts.push(many(state.hide.length, 'stack') + ' hidden: 0 brings everything back');
  if (compared()) {
    parts.push('colours: the change of the share of all from before to after; red grew, blue shrank'
      + (data.side === 'after' ? ', yellow is new; what is gone has no width here' : '; what is new has no width here'));
  }
  $('notes').textContent = parts.join('; ');
  legend();
}

function find() {
  matching = null;
  matches = [];
  let problem = '';
  pattern = null;
  if (state.search !== '') {
    try {
      pattern = new RegExp(state.search);
    } catch (e) {
      problem = 'not a regular expression';
    }
  }
  if (pattern) {
    const fits = cpool.map(text => pattern.test(text));
    matching = level.map((l, i) => i > 0 && weight[i] > 0 && fits[key[i] >>> 3]);
    for (let i = 1; i < level.length; i++) if (matching[i]) matches.push(i);
  }
  $('matched').textContent = problem || (pattern ? 'Matched: ' + percent(matched(), weight[state.zoom]) : '');
}

// What matches within what is shown; a stack counts once.
function matched() {
  const root = state.zoom, inside = [];
  for (let i = root; i > 0; i = parent[i]) if (matching[i]) return weight[root];
  let sum = 0;
  for (let i = root + 1; i < level.length && level[i] > level[root]; i++) {
    inside[i] = inside[parent[i]] || matching[i];
    if (matching[i] && !inside[parent[i]]) sum += weight[i];
  }
  return sum;
}

// ---- the text tree

function children(i) {
  const found = [];
  for (let j = i + 1; j < level.length && level[j] > level[i]; j++) {
    if (parent[j] === i && weight[j] > 0) found.push(j);
  }
  return found.sort((a, b) => weight[b] - weight[a]);
}
function line(i) {
  let below = 0;
  for (const j of children(i)) below += weight[j];
  return percent(weight[i], weight[0]) + '  ' + weighed(weight[i]) + '  self ' + weighed(weight[i] - below)
    + (compared() ? '  change ' + changeText(change(i)) : '') + '  ' + name(i);
}
function branch(i, open) {
  const below = children(i);
  if (below.length === 0) {
    const leaf = document.createElement('p');
    leaf.textContent = line(i);
    return leaf;
  }
  const element = document.createElement('details'), summary = document.createElement('summary');
  summary.textContent = line(i);
  element.append(summary);
  const fill = () => {
    if (element.childElementCount === 1) below.forEach((j, nth) => element.append(branch(j, open > 1 && nth === 0 ? open - 1 : 0)));
  };
  element.addEventListener('toggle', fill);
  if (open > 0) {
    element.open = true;
    fill();
  }
  return element;
}

// ---- the state, which stands in the fragment of the address

function read() {
  const told = new URLSearchParams(location.hash.substring(1));
  const frame = (text, otherwise) => /^\d+$/.test(text || '') && +text < level.length ? +text : otherwise;
  state.zoom = frame(told.get('zoom'), 0);
  state.select = frame(told.get('select'), -1);
  state.search = told.get('search') || '';
  state.invert = told.get('invert') === '1';
  state.tree = told.get('tree') === '1';
  state.theme = /^(light|dark)$/.test(told.get('theme') || '') ? told.get('theme') : '';
  state.hide = (told.get('hide') || '').split(',').map(text => frame(text, 0)).filter(i => i > 0);
}
function address() {
  const told = new URLSearchParams();
  if (state.zoom > 0) told.set('zoom', state.zoom);
  if (state.select >= 0) told.set('select', state.select);
  if (state.search !== '') told.set('search', state.search);
  if (state.invert) told.set('invert', '1');
  if (state.tree) told.set('tree', '1');
  if (state.theme !== '') told.set('theme', state.theme);
  if (state.hide.length > 0) told.set('hide', state.hide.join(','));
  return '#' + told;
}

// Changes the state; what is worth a step back is one.
function go(changes, step) {
  Object.assign(state, changes);
  try {
    if (step) history.pushState(null, '', address()); else history.replaceState(null, '', address());
  } catch (e) {
    // Some browsers keep the address of a file as it is.
  }
  show();
}
function show() {
  place();
  if (weight[state.zoom] === 0) state.zoom = 0;
  if (state.theme === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
  if ($('search').value !== state.search) $('search').value = state.search;
  $('graph').hidden = state.tree;
  $('tree').hidden = !state.tree;
  find();
  layout();
  if (state.tree) $('tree').replaceChildren(branch(state.zoom, 6));
  $('status').textContent = state.select >= 0 ? describe(state.select) : state.zoom > 0 ? describe(state.zoom) : '';
}

// ---- what people do

function select(i) {
  if (i < 0 || i >= level.length || weight[i] === 0) return;
  go({ select: i });
  const top = $('graph').getBoundingClientRect().top + (state.invert ? visible.length - 1 - level[i] : level[i]) * HIGH;
  if (top < 40 || top > window.innerHeight - 40) {
    window.scrollBy(0, top - window.innerHeight / 2);
    draw();
  }
}
function beside(i, step) {
  const row = visible[level[i]] || [], at = row.indexOf(i);
  return at >= 0 && row[at + step] !== undefined ? row[at + step] : i;
}
function deeper(i) {
  const below = children(i);
  return below.length > 0 ? below[0] : i;
}
function nextMatch(step) {
  const inside = matches.filter(i => i >= state.zoom && (i === state.zoom || level[i] > level[state.zoom])
    && left[i] >= left[state.zoom] && left[i] + weight[i] <= left[state.zoom] + weight[state.zoom]);
  if (inside.length === 0) return;
  const at = step > 0 ? inside.find(i => i > state.select) : inside.findLast(i => i < state.select);
  select(at !== undefined ? at : inside[step > 0 ? 0 : inside.length - 1]);
}
const zoom = i => go({ zoom: i, select: -1 }, true);
const reset = () => go({ zoom: 0, select: -1, hide: [] }, true);
const invert = () => go({ invert: !state.invert });
const tree = () => go({ tree: !state.tree });
function theme() {
  const dark = state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  go({ theme: dark ? 'light' : 'dark' });
}
function frameOf(event) {
  const element = event.target.closest('[data-frame]');
  return element ? +element.dataset.frame : -1;
}
function press(event) {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
    $('search').focus();
    $('search').select();
    event.preventDefault();
    return;
  }
  if (event.key === 'Escape') {
    $('search').blur();
    go({ search: '', select: -1 });
    return;
  }
  if (event.target === $('search')) {
    if (event.key === 'Enter') nextMatch(event.shiftKey ? -1 : 1);
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const at = state.select >= 0 ? state.select : state.zoom;
  const arrows = {
    ArrowUp: () => select(state.invert ? deeper(at) : parent[at]),
    ArrowDown: () => select(state.invert ? parent[at] : deeper(at)),
    ArrowLeft: () => select(beside(at, -1)),
    ArrowRight: () => select(beside(at, 1)),
    Enter: () => zoom(at)
  };
  const letters = { '0': reset, i: invert, t: tree, d: theme, n: () => nextMatch(event.shiftKey ? -1 : 1) };
  const action = state.tree ? letters[event.key.toLowerCase()] : arrows[event.key] || letters[event.key.toLowerCase()];
  if (action && !(event.key === 'Enter' && event.target.tagName === 'BUTTON')) {
    action();
    event.preventDefault();
  }
}

function start() {
  total = +data.total;
  otherTotal = +data.other;
  own = width.slice();
  for (let i = 1; i < level.length; i++) {
    own[parent[i]] -= width[i];
    while (byLevel.length <= level[i]) byLevel.push([]);
  }
  if (byLevel.length === 0) byLevel.push([]);
  level.forEach((l, i) => byLevel[l].push(i));
  levels = byLevel.length;
  place();
  if (compared()) for (let i = 1; i < level.length; i++) steepest = Math.max(steepest, Math.abs(change(i)));
  const graph = $('graph');
  graph.addEventListener('click', event => {
    const i = frameOf(event);
    if (i < 0) return;
    if (event.ctrlKey || event.altKey || event.metaKey) {
      if (i > 0) go({ hide: state.hide.concat(i), zoom: 0, select: -1 }, true);
    } else {
      zoom(i);
    }
  });
  graph.addEventListener('mouseover', event => {
    const i = frameOf(event);
    if (i >= 0) $('status').textContent = describe(i);
  });
  $('search').addEventListener('input', () => go({ search: $('search').value }));
  $('next').addEventListener('click', () => nextMatch(1));
  $('previous').addEventListener('click', () => nextMatch(-1));
  $('reset').addEventListener('click', reset);
  $('invert').addEventListener('click', invert);
  $('text').addEventListener('click', tree);
  $('dark').addEventListener('click', theme);
  document.addEventListener('keydown', press);
  window.addEventListener('hashchange', () => { read(); show(); });
  window.addEventListener('popstate', () => { read(); show(); });
  window.addEventListener('resize', layout);
  window.addEventListener('scroll', draw);
  read();
  show();
}
