package io.ntrail.analysis.probe.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Event that a probe fires for, as programs look at it. What an event does not have is a {@link
 * Fault}, but for ids.
 */
public interface ProbeEvent {
  /** An id that is not known. */
  long UNKNOWN = -1;

  /** Name of a process or file that is not known. */
  String UNKNOWN_NAME = "(unknown)";

  /** Nanoseconds since the recording began. */
  long timestamp();

  /** Nanoseconds since 1970 in UTC. */
  long wallTimestamp();

  /** Nanoseconds that the thread ran. */
  default long virtualTimestamp() {
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Number of the processor. */
  default int cpu() {
    return 0;
  }

  /** Id of the process. */
  default long processId() {
    return UNKNOWN;
  }

  /** Id of the process that started it. */
  default long parentId() {
    return UNKNOWN;
  }

  /** Id of the thread. */
  default long threadId() {
    return UNKNOWN;
  }

  /** Name of the program, whole. */
  default String program() {
    return UNKNOWN_NAME;
  }

  /** True if it has a process, but the recording does not tell which, or its name. */
  default boolean hasUnknownProcess() {
    return false;
  }

  /** Command line. */
  default String commandLine() {
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Nanoseconds that the call took which ends here. */
  default long duration() {
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Code of the exception that left the call which ends here. */
  default long exception() {
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Argument by its number. */
  default long argument(int number) {
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Argument that is a string; null: NULL. */
  default @Nullable String argumentText(int number) {
    return "";
  }

  /** Field that is a number. */
  default long field(FieldReference field) {
    return 0;
  }

  /** Field that is a string, a character for each byte; null: NULL. */
  default @Nullable String fieldText(FieldReference field) {
    return "";
  }

  /** True if a field is of a process or file, and the recording does not tell of which. */
  default boolean lacks(FieldReference field) {
    return false;
  }

  /** Returns bytes of the process's memory, fewer if not all of them were recorded. */
  default byte[] memory(long address, int length) {
    return new byte[0];
  }

  /**
   * Frames of the stack, innermost first.
   *
   * @param isUser true: without those of the kernel, false: only those
   */
  default List<String> stack(boolean isUser) {
    return List.of();
  }

  /**
   * Returns a frame as DTrace prints it: {@code module`function+0xOFFSET}, the module without what
   * follows its last dot.
   */
  static String frame(String module, String function, long offset) {
    return CodeName.of(module, function, offset).text(0);
  }

  /** Names of a place in code: module, and function with offset. */
  default CodeName code(long address) {
    return new CodeName("", "", 0);
  }

  /**
   * Place in code.
   *
   * @param module empty if unknown
   * @param function empty if unknown
   */
  record CodeName(String module, String function, long offset) {
    /**
     * Returns a place in a known function of an image, whose name loses what follows its last dot.
     */
    public static CodeName of(String image, String function, long offset) {
      int dot = image.lastIndexOf('.');
      return new CodeName(dot <= 0 ? image : image.substring(0, dot), function, offset);
    }

    /** Returns module, function and offset, as far as they are known. */
    public String text(long address) {
      if (function.isEmpty()) {
        return moduleOr(address);
      }
      String whole = functionOr(address);
      return offset == 0 ? whole : whole + "+0x" + Long.toHexString(offset);
    }

    /** Returns module and function; without a function the module, or else the address. */
    public String functionOr(long address) {
      if (function.isEmpty()) {
        return moduleOr(address);
      }
      return module.isEmpty() ? function : module + "`" + function;
    }

    /** Returns the module, or else the address. */
    public String moduleOr(long address) {
      return module.isEmpty() ? "0x" + Long.toHexString(address) : module;
    }
  }
}
