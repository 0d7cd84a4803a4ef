/** Answers about recordings: one model, its sources, profiles, calls and names. */
module io.ntrail.analysis {
  requires transitive io.ntrail.programs;
  requires static org.jspecify;

  exports io.ntrail.analysis.calls;
  exports io.ntrail.analysis.events;
  exports io.ntrail.analysis.machine;
  exports io.ntrail.analysis.naming;
  exports io.ntrail.analysis.profile;
  exports io.ntrail.analysis.recording;
  exports io.ntrail.analysis.stacks;
}
