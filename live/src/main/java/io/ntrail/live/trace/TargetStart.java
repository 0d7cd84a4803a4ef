package io.ntrail.live.trace;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.agent.StdioHelper;
import io.ntrail.live.target.ProgramFile;
import io.ntrail.live.windows.WindowsApi;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * Agent that fits a program which is to be started, and the helper that owns this process's
 * standard streams. Closing it ends the helper alone.
 */
record TargetStart(Agent agent, StdioHelper streams) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * Starts both.
   *
   * @param word the program, as the user named it
   * @param known machine type in its file, if that is here
   * @throws CannotGoOn if no agent for the program runs, or it is one of 16 bits
   */
  static TargetStart of(AgentHost host, String word, OptionalInt known) {
    if (known.isPresent()) {
      return fitting(host, word, known.getAsInt());
    }
    TargetStart begun = any(host);
    int agent = begun.agent.machine();
    OptionalInt found = OptionalInt.empty();
    boolean fits = false;
    try {
      found = ProgramFile.machine(new WindowsApi(begun.agent), word);
      fits = found.orElse(agent) == agent || agent == MachineType.I386;
    } finally {
      if (!fits) {
        begun.close();
        begun.agent.close();
      }
    }
    // What a 32-bit agent cannot start is told by its system.
    return fits ? begun : fitting(host, word, found.orElse(agent));
  }

  /** Starts the agent of a system whose programs are not known. */
  private static TargetStart any(AgentHost host) {
    // A helper that the system cannot run would say so on the program's standard output.
    Agent agent = agent(host);
    StdioHelper streams = null;
    try {
      streams = host.hold(agent.machine());
      return new TargetStart(agent, streams);
    } finally {
      if (streams == null) {
        agent.close();
      }
    }
  }

  private static Agent agent(AgentHost host) {
    CannotGoOn failed;
    try {
      return AgentStart.on(host, MachineType.AMD64, PATIENCE);
    } catch (CannotGoOn e) {
      failed = e;
    }
    try {
      return AgentStart.on(host, MachineType.I386, PATIENCE);
    } catch (CannotGoOn e) {
      // That of the first is what users expect to be told of.
      throw failed;
    }
  }

  private static TargetStart fitting(AgentHost host, String word, int machine) {
    if (!MachineType.isX86(machine)) {
      throw CannotGoOn.impossible(
          "%s is not an x64 or x86 program (%s)".formatted(word, MachineType.text(machine)),
          "only x64 or x86 programs can be traced");
    }
    if (machine == MachineType.AMD64 && host.runs32BitsAlone()) {
      throw CannotGoOn.impossible(
          word + " is a 64-bit program, and this system runs 32-bit programs alone",
          "use a 32-bit build, or a system that runs 64-bit programs");
    }
    try {
      return on(host, machine);
    } catch (CannotGoOn e) {
      if (machine != MachineType.I386) {
        throw e;
      }
      throw CannotGoOn.impossible(
          "%s is a 32-bit program, and this system does not run ntrail's 32-bit agent: %s"
              .formatted(word, e.message()),
          "use a 64-bit build, or a system that runs 32-bit programs");
    }
  }

  private static TargetStart on(AgentHost host, int machine) {
    AgentConnection connection = host.start(machine);
    StdioHelper streams = null;
    boolean done = false;
    try {
      // While the agent begins.
      streams = host.hold(machine);
      TargetStart begun = new TargetStart(Agent.on(connection, PATIENCE), streams);
      done = true;
      return begun;
    } finally {
      if (!done) {
        connection.close();
        if (streams != null) {
          streams.close();
        }
      }
    }
  }

  /** Ends the helper. */
  @Override
  public void close() {
    streams.close();
  }
}
