/** The ntrail command. */
module io.ntrail.cli {
  requires io.ntrail.export;
  requires io.ntrail.live;
  requires info.picocli;
  requires com.fasterxml.jackson.core;
  requires java.management;
  requires static org.jspecify;

  exports io.ntrail.cli;
}
