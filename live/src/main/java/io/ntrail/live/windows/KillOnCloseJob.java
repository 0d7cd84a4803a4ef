package io.ntrail.live.windows;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.util.List;

/**
 * Kill-on-close job object: a program that is suspended is killed with ntrail, since its agent,
 * which has the job's last handle, ends with ntrail. The job is closed when the program is resumed.
 */
public final class KillOnCloseJob {
  /** JobObjectExtendedLimitInformation, and the size of its structure in 64 and 32-bit code. */
  private static final int EXTENDED_LIMITS = 9;

  private static final int LIMITS_SIZE_64 = 144;
  private static final int LIMITS_SIZE_32 = 112;
  private static final int LIMIT_FLAGS = 16;
  private static final int KILL_ON_JOB_CLOSE = 0x2000;

  private final WindowsApi calls;
  private long job;
  private String refusal = "";

  private KillOnCloseJob(WindowsApi calls) {
    this.calls = calls;
  }

  /** Creates a job for a process that does not exist yet. */
  public static KillOnCloseJob make(WindowsApi calls) {
    KillOnCloseJob created = new KillOnCloseJob(calls);
    CallOutcome made = calls.call("kernel32!CreateJobObjectW", 0, 0);
    created.job = made.result();
    if (created.job == 0) {
      created.refuse("CreateJobObject", made.error());
    } else {
      CallOutcome set = calls.agent().call(created.limit(KILL_ON_JOB_CLOSE));
      if (!set.isTrue()) {
        created.refuse("SetInformationJobObject", set.error());
      }
    }
    return created;
  }

  /** Returns a job without effect, for a process that runs already. */
  public static KillOnCloseJob none(WindowsApi calls) {
    return new KillOnCloseJob(calls);
  }

  private AgentCall limit(int flags) {
    int size = calls.layout().pointerBytes() == Long.BYTES ? LIMITS_SIZE_64 : LIMITS_SIZE_32;
    BytesBuilder limits = new BytesBuilder(size).zeros(size).setU32(LIMIT_FLAGS, flags);
    return calls.prepare(
        "kernel32!SetInformationJobObject", job, EXTENDED_LIMITS, calls.put(0, limits), size);
  }

  private void refuse(String function, int error) {
    refusal =
        "the program stays suspended if ntrail is killed before it resumes it (%s: error %d)"
            .formatted(function, error);
    close();
  }

  /** Assigns a suspended process to the job. If the system refuses, {@link #refusal} says why. */
  public void assign(long process) {
    if (job != 0) {
      CallOutcome tied = calls.call("kernel32!AssignProcessToJobObject", job, process);
      if (!tied.isTrue()) {
        refuse("AssignProcessToJobObject", tied.error());
      }
    }
  }

  /** Returns why the process is not in the job; empty if it is. */
  public String refusal() {
    return refusal;
  }

  /**
   * Resumes the process and removes the limit, in one exchange with the agent, so that ntrail
   * cannot be killed in between.
   *
   * @param resume what lets it run
   * @throws CannotGoOn if the limit could not be taken back; then it does not run
   */
  public CallOutcome release(AgentCall resume) {
    if (job == 0) {
      return calls.agent().call(resume);
    }
    List<CallOutcome> outcomes = calls.call(List.of(limit(0).stopAtZero(), resume));
    if (!outcomes.getFirst().isTrue()) {
      throw WindowsApi.failed(
          "the program could not be released from the job object",
          "kernel32!SetInformationJobObject",
          outcomes.getFirst().error());
    }
    close();
    return outcomes.getLast();
  }

  /** Removes the limit from a process that another one resumes; if the system refuses, it stays. */
  public void release() {
    if (job != 0 && calls.agent().call(limit(0)).isTrue()) {
      close();
    }
  }

  /** Closes the job; a process that still has the limit is killed. */
  public void close() {
    if (job != 0) {
      calls.call("kernel32!CloseHandle", job);
      job = 0;
    }
  }
}
