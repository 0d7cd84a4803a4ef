package io.ntrail.live.agent;

import io.ntrail.formats.bytes.BytesBuilder;

/**
 * Call of a function by the agent.
 *
 * @param address of the function
 * @param flags of {@link AgentProtocol}
 * @param arguments at most 12, as the calling convention of x64 has them, of which 32-bit code gets
 *     the low halves; floating-point ones are not possible
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record AgentCall(long address, int flags, long... arguments) {
  /** Checks how many arguments there are. */
  public AgentCall {
    if (arguments.length > AgentProtocol.MAX_ARGUMENTS) {
      throw new IllegalArgumentException("more than 12 arguments");
    }
    arguments = arguments.clone();
  }

  /** Returns a call of a function. */
  public static AgentCall of(long address, long... arguments) {
    return new AgentCall(address, 0, arguments);
  }

  /** Returns this call; when its result is 0, the calls after it are not made. */
  public AgentCall stopAtZero() {
    return new AgentCall(address, flags | AgentProtocol.STOP_AT_ZERO, arguments);
  }

  /** Returns this call; when its result is a failed NTSTATUS, the calls after it are not made. */
  public AgentCall stopAtError() {
    return new AgentCall(address, flags | AgentProtocol.STOP_AT_ERROR, arguments);
  }

  /** Returns this call of a function whose result has 64 bits also in 32-bit code. */
  public AgentCall wholeResult() {
    return new AgentCall(address, flags | AgentProtocol.WHOLE_RESULT, arguments);
  }

  /**
   * Returns this call with an argument that is the result of an earlier call of the batch plus a
   * constant.
   *
   * @param argument its number, from 0
   * @param call number of the call, from 0
   * @param plus what is added
   */
  public AgentCall referring(int argument, int call, int plus) {
    long[] changed = arguments.clone();
    changed[argument] = (long) plus << 32 | call;
    return new AgentCall(address, flags | AgentProtocol.REFERENCE << argument, changed);
  }

  @Override
  public long[] arguments() {
    return arguments.clone();
  }

  void write(BytesBuilder out) {
    out.u64(address);
    out.u32(arguments.length);
    out.u32(flags);
    for (long argument : arguments) {
      out.u64(argument);
    }
  }
}
