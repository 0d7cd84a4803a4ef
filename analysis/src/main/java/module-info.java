/** Records to one model and its answers. */
module io.ntrail.analysis {
  requires transitive io.ntrail.formats;
  requires java.net.http;
  requires static org.jspecify;

  exports io.ntrail.analysis.calls;
  exports io.ntrail.analysis.events;
  exports io.ntrail.analysis.image;
  exports io.ntrail.analysis.machine;
  exports io.ntrail.analysis.patchability;
  exports io.ntrail.analysis.profile;
  exports io.ntrail.analysis.recording;
  exports io.ntrail.analysis.services;
  exports io.ntrail.analysis.stacks;
  exports io.ntrail.analysis.symbols;
  exports io.ntrail.analysis.symbols.http;
  exports io.ntrail.analysis.unwind;
  exports io.ntrail.analysis.x86;
  exports io.ntrail.analysis.x86.asm;
}
