package io.ntrail.live.agent;

import java.io.InputStream;
import java.io.OutputStream;

/** Connection to an agent that was started. */
public interface AgentConnection extends AutoCloseable {
  /** Returns its input. Closing it ends the agent. */
  OutputStream toAgent();

  /** Returns its output. */
  InputStream fromAgent();

  /** Notes that it has answered: it runs, and needs its file no more where systems allow that. */
  default void answered() {}

  /** Returns whether it has ended: nothing comes any more but what is in the pipe. */
  boolean hasEnded();

  /** Kills it. May be called by any thread. */
  void kill();

  /** Returns what it printed when it died, with a leading colon or similar; empty if nothing. */
  String epitaph();

  /** Lets it end, and kills it after a while. */
  @Override
  void close();
}
