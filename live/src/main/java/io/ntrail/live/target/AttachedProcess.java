package io.ntrail.live.target;

import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.windows.WindowsApi;
import java.time.Duration;

/**
 * Running program that is looked at, with an agent of its own beside it. Nothing is changed in it.
 */
public final class AttachedProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Agent agent;
  private final TargetProcess process;
  private final String program;

  private AttachedProcess(Agent agent, TargetProcess process, String program) {
    this.agent = agent;
    this.process = process;
    this.program = program;
  }

  /**
   * Opens a running program, also one of 32 bits.
   *
   * @param which its id, or the name of its program's file with or without {@code .exe}
   * @throws io.ntrail.formats.bytes.CannotGoOn if there is none, or not one alone, or it may not be
   *     opened, or is not of a supported architecture
   */
  public static AttachedProcess open(AgentHost host, String which) {
    Agent agent = AgentStart.fitting(host, PATIENCE);
    boolean done = false;
    try {
      WindowsApi calls = new WindowsApi(agent);
      // Ctrl+C is for the controller.
      calls.call("kernel32!SetConsoleCtrlHandler", 0, 1);
      RunningProcess running = RunningProcess.named(calls, which);
      TargetProcess process = TargetProcess.attachToLook(calls, running);
      done = true;
      return new AttachedProcess(agent, process, running.name());
    } finally {
      if (!done) {
        agent.close();
      }
    }
  }

  /** Returns the process. */
  public TargetProcess process() {
    return process;
  }

  /** Returns the name of its program's file. */
  public String program() {
    return program;
  }

  /** Ends the agent; the program stays as it is. */
  @Override
  public void close() {
    try {
      process.close();
    } finally {
      agent.close();
    }
  }
}
