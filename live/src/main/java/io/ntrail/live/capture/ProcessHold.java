package io.ntrail.live.capture;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Suspension of all threads of a process, until this is closed.
 *
 * <p>An agent of its own suspends them, waits for an event or for the end of the agent that the
 * process was opened with, and resumes them, all in one request. So the process goes on when this
 * is closed, when that agent ends, and when ntrail is killed, whose agents end with it.
 */
public final class ProcessHold implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Time limit of a suspension; it ends by itself before its agent counts as dead. */
  private static final Duration MOST = Duration.ofHours(6);

  private static final int SUSPEND_AND_QUERY = 0x0C00;
  private static final int SYNCHRONIZE = 0x10_0000;
  private static final int POLL_MILLIS = 20;
  private static final int SIGNALED = 0;
  private static final String FAILED = "the process could not be suspended";

  private final WindowsApi calls;
  private final Agent holder;
  private final ExecutorService thread;
  private final Future<List<CallOutcome>> holding;
  private final long held;
  private final long release;
  private final long began = System.nanoTime();

  private ProcessHold(TargetProcess process, Agent holder) {
    String name = "ntrail-hold-" + UUID.randomUUID();
    WindowsApi there = new WindowsApi(holder);
    this.holder = holder;
    this.calls = process.calls();
    this.held = event(calls, name + "-held");
    this.release = event(calls, name + "-release");
    // Ctrl+C is for the controller.
    there.call("kernel32!SetConsoleCtrlHandler", 0, 1);
    long target = open(there, SUSPEND_AND_QUERY, process.pid());
    long[] ends = {event(there, name + "-release"), open(there, SYNCHRONIZE, calls.agent().pid())};
    holder.poke(holder.scratch(), there.layout().array(ends));
    List<AgentCall> batch =
        List.of(
            there.prepare("ntdll!NtSuspendProcess", target).stopAtError(),
            there.prepare("kernel32!SetEvent", event(there, name + "-held")),
            there.prepare(
                "kernel32!WaitForMultipleObjects",
                ends.length,
                holder.scratch(),
                0,
                MOST.toMillis()),
            there.prepare("ntdll!NtResumeProcess", target));
    this.thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("hold").factory());
    this.holding = thread.submit(() -> holder.call(batch, MOST.plus(PATIENCE)));
  }

  /**
   * Suspends all threads of a process.
   *
   * @throws CannotGoOn if that is not possible; then the process runs
   */
  public static ProcessHold of(AgentHost host, TargetProcess process) {
    Agent holder = Agent.on(host.start(process.calls().agent().machine()), PATIENCE);
    ProcessHold hold = null;
    boolean done = false;
    try {
      hold = new ProcessHold(process, holder);
      hold.awaitHeld();
      done = true;
      return hold;
    } finally {
      if (!done && hold != null) {
        hold.close();
      } else if (!done) {
        holder.close();
      }
    }
  }

  private static long open(WindowsApi calls, int rights, int pid) {
    return calls.must(FAILED, "kernel32!OpenProcess", rights, 0, pid);
  }

  /** Creates an event that has a name, or opens it. */
  private static long event(WindowsApi calls, String name) {
    long text = calls.agent().scratch() + 0x100;
    calls.agent().poke(text, new BytesBuilder(256).utf16z(name).toArray());
    return calls.must(FAILED, "kernel32!CreateEventW", 0, 1, 0, text);
  }

  private void awaitHeld() {
    while (calls.call("kernel32!WaitForSingleObject", held, POLL_MILLIS).asInt() != SIGNALED) {
      if (holding.isDone()) {
        throw new CannotGoOn(
            FAILED + " (NtSuspendProcess: status 0x%08x)".formatted(outcome().getFirst().asInt()),
            "");
      }
    }
  }

  /** Waits for the end of the suspension. */
  private List<CallOutcome> outcome() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return holding.get();
        } catch (InterruptedException e) {
          // Whether the process was resumed must be known first.
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CannotGoOn cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns for how long the process has been suspended, in nanoseconds. */
  public long nanos() {
    return System.nanoTime() - began;
  }

  /**
   * Resumes the threads.
   *
   * @throws CannotGoOn if the agent that suspended them was lost
   */
  @Override
  public void close() {
    try {
      calls.call("kernel32!SetEvent", release);
      calls.call("kernel32!CloseHandle", release);
      calls.call("kernel32!CloseHandle", held);
    } finally {
      // Without the other agent the suspension ends, too: then it has ended.
      try {
        outcome();
      } finally {
        holder.close();
        thread.shutdown();
      }
    }
  }
}
