/** Answers about recordings: one model, its sources, profiles, calls and names. */
module io.ntrail.analysis {
  requires transitive io.ntrail.programs;
  requires static org.jspecify;

  exports io.ntrail.analysis.calls;
  exports io.ntrail.analysis.collapsed;
  exports io.ntrail.analysis.dumps;
  exports io.ntrail.analysis.etw;
  exports io.ntrail.analysis.etw.events;
  exports io.ntrail.analysis.etw.ipt;
  exports io.ntrail.analysis.etw.machine;
  exports io.ntrail.analysis.etw.recording;
  exports io.ntrail.analysis.etw.stacks;
  exports io.ntrail.analysis.etw.weights;
  exports io.ntrail.analysis.flow;
  exports io.ntrail.analysis.flow.calls;
  exports io.ntrail.analysis.flow.recorded;
  exports io.ntrail.analysis.input;
  exports io.ntrail.analysis.merge;
  exports io.ntrail.analysis.merge.calls;
  exports io.ntrail.analysis.merge.names;
  exports io.ntrail.analysis.model;
  exports io.ntrail.analysis.naming;
  exports io.ntrail.analysis.parallel;
  exports io.ntrail.analysis.probe.aggregation;
  exports io.ntrail.analysis.probe.calls;
  exports io.ntrail.analysis.probe.compile;
  exports io.ntrail.analysis.probe.engine;
  exports io.ntrail.analysis.probe.etw;
  exports io.ntrail.analysis.probe.sources;
  exports io.ntrail.analysis.probe.syntax;
  exports io.ntrail.analysis.probe.types;
  exports io.ntrail.analysis.profile;
  exports io.ntrail.analysis.stacks;
}
