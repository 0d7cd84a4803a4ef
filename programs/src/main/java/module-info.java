/** Code at rest: images, instructions, symbols, handlers, patchability. */
module io.ntrail.programs {
  requires transitive io.ntrail.formats;
  requires java.net.http;
  requires static org.jspecify;

  exports io.ntrail.programs.handlers;
  exports io.ntrail.programs.image;
  exports io.ntrail.programs.kernelcode;
  exports io.ntrail.programs.memory;
  exports io.ntrail.programs.patchability;
  exports io.ntrail.programs.services;
  exports io.ntrail.programs.symbols;
  exports io.ntrail.programs.symbols.http;
  exports io.ntrail.programs.unwind;
  exports io.ntrail.programs.unwind.x64;
  exports io.ntrail.programs.unwind.x86;
  exports io.ntrail.programs.x86;
  exports io.ntrail.programs.x86.asm;
  exports io.ntrail.programs.x86.asm.operands;

  // Tables beside classes, which ResourceFile reads where they are in no jar.
  opens io.ntrail.programs.services to
      io.ntrail.formats;
  opens io.ntrail.programs.x86 to
      io.ntrail.formats;
}
