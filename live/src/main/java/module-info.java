/** Watches programs while they run, and records what they do. */
module io.ntrail.live {
  requires java.management;
  requires jdk.management;
  requires transitive io.ntrail.programs;
  requires static org.jspecify;

  exports io.ntrail.live.agent;
  exports io.ntrail.live.branches;
  exports io.ntrail.live.capture;
  exports io.ntrail.live.code;
  exports io.ntrail.live.code.x64;
  exports io.ntrail.live.consumer;
  exports io.ntrail.live.dump;
  exports io.ntrail.live.etw;
  exports io.ntrail.live.ipt;
  exports io.ntrail.live.machine;
  exports io.ntrail.live.modules;
  exports io.ntrail.live.patch;
  exports io.ntrail.live.plan;
  exports io.ntrail.live.recovery;
  exports io.ntrail.live.selftest;
  exports io.ntrail.live.simulation;
  exports io.ntrail.live.session;
  exports io.ntrail.live.target;
  exports io.ntrail.live.trace;
  exports io.ntrail.live.windows;
}
