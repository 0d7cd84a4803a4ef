/** Profiles in the formats of other tools. */
module io.ntrail.export {
  requires transitive io.ntrail.analysis;
  requires static org.jspecify;

  exports io.ntrail.export.collapsed;
  exports io.ntrail.export.flamegraph;
  exports io.ntrail.export.stacks;
}
