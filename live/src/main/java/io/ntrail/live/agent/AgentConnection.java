package io.ntrail.live.agent;

import java.io.InputStream;
import java.io.OutputStream;

/** An agent that was started, however that was done. */
public interface AgentConnection extends AutoCloseable {
  /** What it reads. Closed: it ends. */
  OutputStream toAgent();

  /** What it writes. */
  InputStream fromAgent();

  /** Ends it at once. May be called by any thread. */
  void kill();

  /** What it said when it died, beginning with a colon or so; empty if nothing. */
  String epitaph();

  /** Lets it end, and after a while ends it. */
  @Override
  void close();
}
