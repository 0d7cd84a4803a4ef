/** Independent writers, damage makers and oracles: test scope only, uses nothing of ntrail's. */
module io.ntrail.testkit {
  requires java.xml;
  requires jdk.httpserver;
  requires jdk.management;
  requires static org.jspecify;

  exports io.ntrail.testkit;
  exports io.ntrail.testkit.baseline;
  exports io.ntrail.testkit.breakpad;
  exports io.ntrail.testkit.cab;
  exports io.ntrail.testkit.calls;
  exports io.ntrail.testkit.code;
  exports io.ntrail.testkit.compress;
  exports io.ntrail.testkit.described;
  exports io.ntrail.testkit.dump;
  exports io.ntrail.testkit.etl;
  exports io.ntrail.testkit.live;
  exports io.ntrail.testkit.ntr;
  exports io.ntrail.testkit.pdb;
  exports io.ntrail.testkit.pe;
  exports io.ntrail.testkit.probe;
  exports io.ntrail.testkit.profile;
  exports io.ntrail.testkit.unicorn;
  exports io.ntrail.testkit.web;
  exports io.ntrail.testkit.wine;
}
