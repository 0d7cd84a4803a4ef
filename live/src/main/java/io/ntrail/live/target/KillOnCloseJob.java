package io.ntrail.live.target;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.util.List;

/**
 * Sees to it that a program which stands suspended does not stand there for ever when ntrail is
 * killed: its agent ends with ntrail, with the agent goes the last handle of a job object, and with
 * that whatever is in the job. Nothing of it is left when the program is let go.
 */
final class KillOnCloseJob {
  /** JobObjectExtendedLimitInformation, and bytes of its structure. */
  private static final int EXTENDED_LIMITS = 9;

  private static final int LIMITS_SIZE = 144;
  private static final int LIMIT_FLAGS = 16;
  private static final int KILL_ON_JOB_CLOSE = 0x2000;

  private final WindowsApi calls;
  private long job;
  private String refusal = "";

  private KillOnCloseJob(WindowsApi calls) {
    this.calls = calls;
  }

  /** Makes one, for a process that is not there yet. */
  static KillOnCloseJob make(WindowsApi calls) {
    KillOnCloseJob leash = new KillOnCloseJob(calls);
    CallOutcome made = calls.call("kernel32!CreateJobObjectW", 0, 0);
    leash.job = made.result();
    if (leash.job == 0) {
      leash.refuse("CreateJobObject", made.error());
    } else {
      CallOutcome set = calls.agent().call(leash.limit(KILL_ON_JOB_CLOSE));
      if (!set.isTrue()) {
        leash.refuse("SetInformationJobObject", set.error());
      }
    }
    return leash;
  }

  /** None, for a process that runs already. */
  static KillOnCloseJob none(WindowsApi calls) {
    return new KillOnCloseJob(calls);
  }

  private AgentCall limit(int flags) {
    BytesBuilder limits =
        new BytesBuilder(LIMITS_SIZE).zeros(LIMITS_SIZE).setU32(LIMIT_FLAGS, flags);
    return calls.prepare(
        "kernel32!SetInformationJobObject",
        job,
        EXTENDED_LIMITS,
        calls.put(0, limits),
        LIMITS_SIZE);
  }

  private void refuse(String function, int error) {
    refusal =
        "the program goes on standing if ntrail is killed before it lets it go (%s: error %d)"
            .formatted(function, error);
    close();
  }

  /** Ties a process that stands suspended. Where the system refuses that, {@link #refusal} says. */
  void assign(long process) {
    if (job != 0) {
      CallOutcome tied = calls.call("kernel32!AssignProcessToJobObject", job, process);
      if (!tied.isTrue()) {
        refuse("AssignProcessToJobObject", tied.error());
      }
    }
  }

  /** Why the process is not tied; empty if it is. */
  String refusal() {
    return refusal;
  }

  /**
   * Lets it go: from now on it lives whatever happens to ntrail. Both is one question to the agent,
   * so that ntrail cannot be killed in between.
   *
   * @param resume what lets it run
   * @throws CannotGoOn if the limit could not be taken back; then it does not run
   */
  CallOutcome release(AgentCall resume) {
    if (job == 0) {
      return calls.agent().call(resume);
    }
    List<CallOutcome> outcomes = calls.call(List.of(limit(0).stopAtZero(), resume));
    if (!outcomes.getFirst().isTrue()) {
      throw WindowsApi.failed(
          "the program could not be let go",
          "kernel32!SetInformationJobObject",
          outcomes.getFirst().error());
    }
    close();
    return outcomes.getLast();
  }

  /** Lets one go that somebody else lets run; it stays tied if the system does not allow it. */
  void release() {
    if (job != 0 && calls.agent().call(limit(0)).isTrue()) {
      close();
    }
  }

  /** Gives the job back; a process that is still tied ends. */
  void close() {
    if (job != 0) {
      calls.call("kernel32!CloseHandle", job);
      job = 0;
    }
  }
}
