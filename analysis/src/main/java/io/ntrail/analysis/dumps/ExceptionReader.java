package io.ntrail.analysis.dumps;

import io.ntrail.analysis.dumps.FaultAddress.Access;
import io.ntrail.formats.dump.DumpException;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.formats.dump.streams.AssertionInfo;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.schema.StatusCodes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Description of an exception in words: by its code, and by parameters whose meaning is known. */
final class ExceptionReader {
  private static final int ACCESS_VIOLATION = 0xC000_0005;
  private static final int IN_PAGE_ERROR = 0xC000_0006;
  private static final int GUARD_PAGE = 0x8000_0001;
  private static final int INVALID_PARAMETER = 0xC000_000D;
  private static final int CRT_INVALID_PARAMETER = 0xC000_0417;
  private static final int STACK_OVERFLOW = 0xC000_00FD;
  private static final int FAST_FAIL = 0xC000_0409;
  private static final int CXX_EXCEPTION = 0xE06D_7363;
  private static final int CLR_EXCEPTION = 0xE043_4352;
  private static final int OLD_CLR_EXCEPTION = 0xE043_4F4D;
  private static final int THREAD_NAME = 0x406D_1388;
  private static final int CRASHPAD_SIMULATED = 0x0517_A7ED;
  private static final int CRASHPAD_OTHER_PROCESS = 0x4350_7070;
  private static final int WOW64_SINGLE_STEP = 0x4000_001E;
  private static final int WOW64_BREAKPOINT = 0x4000_001F;
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  private final Minidump dump;
  private final DumpException raw;
  private final DumpView view;
  private final @Nullable DumpedThread thread;
  private final StatusCodes codes = new StatusCodes();

  ExceptionReader(Minidump dump, DumpException raw, DumpView view, @Nullable DumpedThread thread) {
    this.dump = dump;
    this.raw = raw;
    this.view = view;
    this.thread = thread;
  }

  /** Returns an address of the process: writers extend those of 32-bit ones with either sign. */
  private long address(long stored) {
    return view.is64Bit() ? stored : stored & LOW_HALF;
  }

  private long parameter(int index) {
    return index < raw.parameters().size() ? address(raw.parameters().get(index)) : 0;
  }

  DumpedException read() {
    boolean isWindows = dump.systemInfo().map(SystemInfo::isWindows).orElse(true);
    if (!isWindows) {
      String system = dump.systemInfo().map(SystemInfo::otherSystem).orElse("");
      return described(
          "", "EXCEPTION " + Integer.toUnsignedString(raw.code()) + " of " + system, "");
    }
    String name = name();
    return switch (raw.code()) {
      case ACCESS_VIOLATION, IN_PAGE_ERROR, GUARD_PAGE -> access(name);
      case STACK_OVERFLOW -> described(name, "STACK OVERFLOW", stackUse());
      case FAST_FAIL -> described(name, "FAST FAIL", fastFail());
      case INVALID_PARAMETER, CRT_INVALID_PARAMETER ->
          described(name, "INVALID PARAMETER", assertion());
      case CXX_EXCEPTION -> described(name, "C++ EXCEPTION", thrown());
      case CLR_EXCEPTION, OLD_CLR_EXCEPTION -> described(name, ".NET EXCEPTION", managed());
      case CRASHPAD_SIMULATED, CRASHPAD_OTHER_PROCESS ->
          described(name, "NO EXCEPTION", "Crashpad wrote the dump on request");
      default -> described(name, title(name), assertion());
    };
  }

  private DumpedException described(String name, String title, String detail) {
    return new DumpedException(
        raw, address(raw.address()), name, title, detail, Optional.empty(), Optional.empty());
  }

  private String name() {
    String own =
        switch (raw.code()) {
          case CXX_EXCEPTION -> "EH_EXCEPTION_NUMBER";
          case CLR_EXCEPTION -> "EXCEPTION_COMPLUS";
          case OLD_CLR_EXCEPTION -> "EXCEPTION_COMPLUS_V1";
          case THREAD_NAME -> "MS_VC_EXCEPTION";
          case WOW64_SINGLE_STEP -> "STATUS_WX86_SINGLE_STEP";
          case WOW64_BREAKPOINT -> "STATUS_WX86_BREAKPOINT";
          case CRASHPAD_SIMULATED, CRASHPAD_OTHER_PROCESS -> "CRASHPAD_SIMULATED";
          default -> null;
        };
    String status = own == null ? codes.ntStatus(raw.code()) : own;
    return status == null ? "" : status;
  }

  /** {@code STATUS_INTEGER_DIVIDE_BY_ZERO} is {@code INTEGER DIVIDE BY ZERO}. */
  private String title(String name) {
    if (name.isEmpty()) {
      return "EXCEPTION 0x" + Integer.toHexString(raw.code());
    }
    String words = name.startsWith("STATUS_") ? name.substring("STATUS_".length()) : name;
    return words.replace('_', ' ');
  }

  private DumpedException access(String name) {
    String title =
        switch (raw.code()) {
          case ACCESS_VIOLATION -> "ACCESS VIOLATION";
          case IN_PAGE_ERROR -> "IN-PAGE ERROR";
          default -> "GUARD PAGE VIOLATION";
        };
    if (raw.parameters().size() < 2) {
      return described(name, title, "");
    }
    Access access = Access.of(parameter(0));
    FaultAddress memory = FaultAddress.of(parameter(1), access, view, thread);
    String detail =
        "it "
            + access.verb()
            + " address 0x"
            + Long.toHexString(memory.address())
            + (memory.text().isEmpty() ? "" : " (" + memory.text() + ")")
            + (raw.code() == IN_PAGE_ERROR ? pageError() : "");
    return new DumpedException(
        raw, address(raw.address()), name, title, detail, Optional.of(access), Optional.of(memory));
  }

  /** Status with which the page could not be read from its file. */
  private String pageError() {
    if (raw.parameters().size() < 3) {
      return "";
    }
    int status = raw.parameters().get(2).intValue();
    String name = codes.ntStatus(status);
    return ", because of " + (name == null ? "0x" + Integer.toHexString(status) : name);
  }

  private String stackUse() {
    Optional<StackBounds> stack = thread == null ? Optional.empty() : view.stack(thread);
    Optional<ProcessorContext> context = view.exceptionContext();
    if (stack.isEmpty() || context.isEmpty() || context.get().sp().isEmpty()) {
      return "";
    }
    long used = stack.get().high() - context.get().sp().getAsLong();
    boolean isPlausible = used > 0 && used <= stack.get().size() + 0x1_0000;
    return isPlausible ? "with 0x" + Long.toHexString(used) + " bytes of stack in use" : "";
  }

  private String fastFail() {
    if (raw.parameters().isEmpty()) {
      return FastFail.meaning(0);
    }
    long code = parameter(0);
    String name = FastFail.name(code);
    String meaning = FastFail.meaning(code);
    return "code "
        + Long.toUnsignedString(code)
        + (name.isEmpty() ? "" : " FAST_FAIL_" + name)
        + (meaning.isEmpty() ? "" : ": " + meaning);
  }

  private String thrown() {
    List<String> types =
        CxxThrow.types(raw.parameters().stream().map(this::address).toList(), view);
    return types.isEmpty() ? "" : "an object of type " + types.getFirst() + " was thrown";
  }

  private String managed() {
    if (raw.parameters().isEmpty()) {
      return "";
    }
    int result = raw.parameters().getFirst().intValue();
    String name = codes.hresult(result);
    return "HRESULT 0x" + Integer.toHexString(result) + (name == null ? "" : " " + name);
  }

  /** Assertion of the C runtime that Breakpad's handler noted. */
  private String assertion() {
    Optional<AssertionInfo> info = AssertionInfo.of(dump);
    if (info.isEmpty()) {
      return "";
    }
    AssertionInfo found = info.get();
    StringBuilder text = new StringBuilder();
    if (!found.expression().isEmpty()) {
      text.append("assertion failed: ").append(found.expression());
    } else {
      text.append(found.type() == 2 ? "a pure virtual function was called" : "assertion failed");
    }
    if (!found.function().isEmpty()) {
      text.append(" in ").append(found.function());
    }
    if (!found.file().isEmpty()) {
      text.append(" (").append(WindowsPath.lastPart(found.file()));
      text.append(found.line() > 0 ? ":" + found.line() : "").append(')');
    }
    return text.toString();
  }
}
