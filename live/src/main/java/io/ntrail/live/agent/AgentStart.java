package io.ntrail.live.agent;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import java.time.Duration;

/**
 * Start of the agent that a system can run: that of 64-bit code, or that of 32-bit code where the
 * system runs 32-bit programs alone.
 */
public final class AgentStart {
  private AgentStart() {}

  /**
   * Starts an agent.
   *
   * @param patience how long one question may take before the agent counts as dead
   * @throws CannotGoOn if neither of them runs; the message tells of both
   */
  public static Agent fitting(AgentHost host, Duration patience) {
    long began = System.nanoTime();
    CannotGoOn failed;
    try {
      return on(host, MachineType.AMD64, patience);
    } catch (CannotGoOn e) {
      failed = e;
    }
    if (System.nanoTime() - began >= patience.toNanos()) {
      // It runs, but does not answer: another one would not either.
      throw failed;
    }
    Agent other;
    try {
      other = on(host, MachineType.I386, patience);
    } catch (CannotGoOn e) {
      throw new CannotGoOn(
          "neither ntrail's 64-bit agent nor its 32-bit agent starts: %s; %s"
              .formatted(failed.getMessage(), e.getMessage()),
          "ntrail doctor");
    }
    boolean fits = false;
    try {
      fits = !isEmulated(other);
    } finally {
      if (!fits) {
        other.close();
      }
    }
    if (!fits) {
      // It would see half of a system whose own agent should have started.
      throw failed;
    }
    return other;
  }

  /**
   * Starts the agent of a machine type.
   *
   * @param machine x64 or x86
   * @param patience how long one question may take before the agent counts as dead
   * @throws CannotGoOn if it does not run
   */
  public static Agent on(AgentHost host, int machine, Duration patience) {
    AgentConnection connection = host.start(machine);
    boolean answers = false;
    try {
      Agent agent = Agent.on(connection, patience);
      answers = true;
      return agent;
    } finally {
      if (!answers) {
        connection.close();
      }
    }
  }

  /** Returns whether an agent of 32-bit code runs on a 64-bit system. */
  private static boolean isEmulated(Agent agent) {
    long ask = agent.resolve("kernel32.dll", "IsWow64Process");
    if (ask == 0) {
      return false;
    }
    agent.poke(agent.scratch(), new byte[4]);
    return agent.call(AgentCall.of(ask, -1, agent.scratch())).isTrue()
        && agent.peek(agent.scratch(), 4).u32(0) != 0;
  }
}
