package io.ntrail.analysis.dumps;

import io.ntrail.analysis.dumps.FaultAddress.Access;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Signature of a crash: the same for crashes that have probably the same cause, also of other
 * builds and on other machines. docs/stacks.md defines it; what it says there does not change.
 *
 * @param text kind of the exception, then functions from the innermost, separated by {@code " | "}
 * @param kind of the exception
 * @param frames that it is made of, at most {@value #MOST_FRAMES}
 */
public record CrashSignature(String text, String kind, List<NamedFrame> frames) {
  /** Frames in a signature. */
  public static final int MOST_FRAMES = 5;

  private static final String BETWEEN = " | ";
  private static final String NO_EXCEPTION = "NO EXCEPTION";
  private static final int FAST_FAIL = 0xC000_0409;

  /**
   * Functions that raise, dispatch and report exceptions, and end programs, without their modules.
   */
  private static final Set<String> DISPATCH =
      Set.of(
          "KiUserExceptionDispatcher",
          "KiUserExceptionDispatch",
          "KiRaiseUserExceptionDispatcher",
          "RtlDispatchException",
          "RtlRaiseException",
          "RtlRaiseStatus",
          "RtlFailFast2",
          "RtlReportFatalFailure",
          "RtlReportCriticalFailure",
          "RtlpCallVectoredHandlers",
          "RtlpExecuteHandlerForException",
          "ExecuteHandler",
          "ExecuteHandler2",
          "RaiseException",
          "RaiseFailFastException",
          "UnhandledExceptionFilter",
          "DebugBreak",
          "DbgBreakPoint",
          "_CxxThrowException",
          "__CxxThrowException",
          "CxxThrowException",
          "abort",
          "raise",
          "terminate",
          "_exit",
          "exit",
          "_invoke_watson",
          "_invalid_parameter",
          "_invalid_parameter_noinfo",
          "_invalid_parameter_noinfo_noreturn",
          "__report_gsfailure",
          "__report_rangecheckfailure",
          "__fastfail",
          "_purecall",
          "__std_terminate",
          "__scrt_unhandled_exception_filter",
          "_assert",
          "_wassert",
          "common_assert_to_stderr",
          "common_assert_to_message_box",
          "__crt_seh_guarded_call",
          "NtRaiseException",
          "ZwRaiseException",
          "NtRaiseHardError",
          "NtTerminateProcess",
          "ZwTerminateProcess");

  /** Copies the list. */
  public CrashSignature {
    frames = List.copyOf(frames);
  }

  /**
   * Makes the signature of a crash.
   *
   * @param exception why the dump was written; empty if for no exception
   * @param stack of the faulting thread, innermost frame first
   */
  public static CrashSignature of(Optional<DumpedException> exception, List<NamedFrame> stack) {
    String kind = exception.map(CrashSignature::kind).orElse(NO_EXCEPTION);
    List<NamedFrame> frames = frames(stack);
    StringBuilder text = new StringBuilder(kind);
    frames.forEach(frame -> text.append(BETWEEN).append(normal(frame)));
    return new CrashSignature(text.toString(), kind, frames);
  }

  /** {@code STATUS_ACCESS_VIOLATION read}: no address, and nothing else that varies. */
  private static String kind(DumpedException exception) {
    String name =
        exception.name().isEmpty()
            ? "0x" + Integer.toHexString(exception.code())
            : exception.name();
    if (exception.code() == FAST_FAIL && !exception.raw().parameters().isEmpty()) {
      return name + " " + exception.raw().parameters().getFirst();
    }
    return name + exception.access().map(CrashSignature::word).orElse("");
  }

  private static String word(Access access) {
    return switch (access) {
      case READ -> " read";
      case WRITE -> " write";
      case EXECUTE -> " execute";
      case OTHER -> "";
    };
  }

  private static List<NamedFrame> frames(List<NamedFrame> stack) {
    List<NamedFrame> code = new ArrayList<>();
    for (NamedFrame frame : stack) {
      if (frame.trust() == FrameTrust.SCAN) {
        // What comes after a guess is not the same in every dump.
        break;
      }
      if (!frame.isInlined()) {
        code.add(frame);
      }
    }
    int first = 0;
    while (first < code.size() - 1 && isDispatch(code.get(first))) {
      first++;
    }
    List<NamedFrame> frames = new ArrayList<>();
    String last = "";
    for (int i = first; i < code.size() && frames.size() < MOST_FRAMES; i++) {
      String normal = normal(code.get(i));
      // How deep a recursion went is chance.
      if (!normal.equals(last)) {
        frames.add(code.get(i));
        last = normal;
      }
    }
    return frames;
  }

  private static boolean isDispatch(NamedFrame frame) {
    String function = frame.function();
    return function != null && DISPATCH.contains(withoutParameters(function));
  }

  /** Returns {@code module!function} in the one form that signatures have. */
  static String normal(NamedFrame frame) {
    String module = frame.module();
    if (module == null) {
      return "(no module)";
    }
    String name = module.toLowerCase(Locale.ROOT);
    String function = frame.function();
    if (function != null) {
      return name + "!" + withoutParameters(function);
    }
    return frame.rva() == NamedFrame.UNKNOWN ? name : name + "+0x" + Long.toHexString(frame.rva());
  }

  /** {@code Stock::Load(char const *) const} is {@code Stock::Load}. */
  private static String withoutParameters(String function) {
    int end = function.lastIndexOf(')');
    if (end < 0 || function.indexOf('>', end) >= 0) {
      // Those in the arguments of a template are part of the name.
      return function;
    }
    int depth = 0;
    for (int i = end; i > 0; i--) {
      char c = function.charAt(i);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0) {
        boolean isOperator = function.startsWith("operator", i - "operator".length());
        return isOperator ? function : function.substring(0, i);
      }
    }
    return function;
  }
}
