// Words are counted, sorted and replaced, queens are placed on a board: for Windows Script Host.
//
//   thesis.js READY WAIT OUT ROUNDS WAIT    makes the file READY, runs WAIT until that ends, works, writes
//                                           nanoseconds and what came of it to OUT, and waits again
var files = new ActiveXObject("Scripting.FileSystemObject");
var words = WScript.Arguments;

function say(name, text) {
  var file = files.CreateTextFile(name, true);
  file.Write(text);
  file.Close();
}

function text(count) {
  var seed = 7, all = [];
  for (var i = 0; i < count; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    all.push("w" + (seed >> 8) % 997);
  }
  return all.join(" ");
}

function common(all) {
  var counts = {}, list = all.split(" "), names = [];
  for (var i = 0; i < list.length; i++) {
    counts[list[i]] = (counts[list[i]] || 0) + 1;
  }
  for (var name in counts) {
    names.push(name);
  }
  names.sort(function (a, b) { return counts[b] - counts[a] || (a < b ? -1 : 1); });
  return names.slice(0, 5).join(",");
}

function queens(n, row, columns, up, down) {
  if (row == n) {
    return 1;
  }
  var found = 0;
  for (var c = 0; c < n; c++) {
    if (!columns[c] && !up[row + c] && !down[row - c + n]) {
      columns[c] = up[row + c] = down[row - c + n] = true;
      found += queens(n, row + 1, columns, up, down);
      columns[c] = up[row + c] = down[row - c + n] = false;
    }
  }
  return found;
}

function work() {
  var all = text(3000);
  return common(all) + " " + queens(6, 0, [], [], []) + " " + all.replace(/w(\d)\d+/g, "<$1>").length;
}

say(words(0), "ready");
new ActiveXObject("WScript.Shell").Run(words(1), 0, true);
var last = "", begin = new Date().getTime();
for (var round = Number(words(3)); round > 0; round--) {
  last = work();
}
say(words(2), (new Date().getTime() - begin) * 1000000 + " " + last);
new ActiveXObject("WScript.Shell").Run(words(4), 0, true);
