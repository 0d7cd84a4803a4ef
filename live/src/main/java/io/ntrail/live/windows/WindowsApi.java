package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions of the Windows API, called by name through an agent.
 *
 * <p>Structures lie in the agent's scratch memory, whose pages are given out by the constants here:
 * every method that uses one fills it right before its call.
 */
public final class WindowsApi {
  /** Size of the pages of the scratch memory, for structures that are needed at once. */
  public static final int PAGE = 0x1000;

  private final Agent agent;
  private final DriveRoots drives = new DriveRoots();

  /** Calls through an agent. */
  public WindowsApi(Agent agent) {
    this.agent = agent;
  }

  /** Returns the agent. */
  public Agent agent() {
    return agent;
  }

  /** Returns how structures look that its calls fill or read. */
  public SystemLayout layout() {
    return agent.layout();
  }

  /** Returns where its drives are, as far as that is known. */
  DriveRoots drives() {
    return drives;
  }

  /**
   * Returns the address of a function, which is the same in every process of this system.
   *
   * @param name {@code module!function}, the module without {@code .dll}
   * @throws CannotGoOn if it is not exported
   */
  public long address(String name) {
    long address = find(name);
    if (address == 0) {
      throw new CannotGoOn("this system has no " + name, "");
    }
    return address;
  }

  /** Returns the address of a function; 0 if it is not exported. */
  public long find(String name) {
    int dot = name.indexOf('!');
    return agent.resolve(name.substring(0, dot) + ".dll", name.substring(dot + 1));
  }

  /** Returns a call for a batch. */
  public AgentCall prepare(String name, long... arguments) {
    return AgentCall.of(address(name), arguments);
  }

  /**
   * Makes a call.
   *
   * @throws CannotGoOn if it ends with an exception
   */
  public CallOutcome call(String name, long... arguments) {
    CallOutcome outcome = agent.call(prepare(name, arguments));
    if (outcome.kind() != CallOutcome.Kind.DONE) {
      throw new CannotGoOn(
          "%s ended with exception 0x%x".formatted(name, outcome.result() & 0xFFFF_FFFFL), "");
    }
    return outcome;
  }

  /** Makes calls one after the other, in as few exchanges as possible. */
  public List<CallOutcome> call(List<AgentCall> calls) {
    if (calls.isEmpty()) {
      return List.of();
    }
    if (calls.size() <= Agent.MAX_CALLS) {
      return agent.call(calls);
    }
    List<CallOutcome> outcomes = new ArrayList<>(calls.size());
    for (int done = 0; done < calls.size(); done += Agent.MAX_CALLS) {
      outcomes.addAll(
          agent.call(calls.subList(done, Math.min(calls.size(), done + Agent.MAX_CALLS))));
    }
    return outcomes;
  }

  /**
   * Makes a call whose result is 0 when it fails.
   *
   * @param what what could not be done then
   * @throws CannotGoOn if it fails
   */
  public long must(String what, String name, long... arguments) {
    CallOutcome outcome = call(name, arguments);
    if (outcome.result() == 0) {
      throw failed(what, name, outcome.error());
    }
    return outcome.result();
  }

  /**
   * Makes a call that returns an NTSTATUS.
   *
   * @throws CannotGoOn if that is an error
   */
  public void mustSucceed(String what, String name, long... arguments) {
    CallOutcome outcome = call(name, arguments);
    if (!outcome.isSuccess()) {
      throw new CannotGoOn("%s (%s: status 0x%08x)".formatted(what, name, outcome.asInt()), "");
    }
  }

  /** Returns the error for a failed call. */
  public static CannotGoOn failed(String what, String name, int error) {
    String plain =
        switch (error) {
          case 2, 3 -> "not found";
          case 5 -> "access denied";
          case 8, 1455 -> "not enough memory";
          case 87 -> "invalid parameter";
          case 193 -> "not a valid program for this system";
          case 216 -> "a program for another machine";
          case 740 -> "elevation required: run ntrail as administrator";
          default -> "error " + error;
        };
    return new CannotGoOn("%s: %s (%s)".formatted(what, plain, name), "");
  }

  /** Returns an address in the scratch memory. */
  public long scratch(int offset) {
    return agent.scratch() + offset;
  }

  /** Puts a structure into the scratch memory. */
  public long put(int offset, BytesBuilder structure) {
    agent.poke(scratch(offset), structure.toArray());
    return scratch(offset);
  }

  /** Reads the scratch memory. */
  public Bytes get(int offset, int length) {
    return agent.peek(scratch(offset), length);
  }
}
