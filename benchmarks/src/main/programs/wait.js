// Takes 60 MB beside what node needs, says so and waits: dumps of it are larger than 100 MB.
globalThis.kept = [];
for (let i = 0; i < 60; i++) {
  globalThis.kept.push(Buffer.alloc(1 << 20, i));
}
console.log('ready');
setTimeout(() => {}, 3600000);
