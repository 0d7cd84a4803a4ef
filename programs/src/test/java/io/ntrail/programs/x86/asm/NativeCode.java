package io.ntrail.programs.x86.asm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * Assembled code in memory that may be executed: written first, executable after that, gone with
 * {@link #close}. Linux on x64 only; arguments come in rdi, rsi, rdx, rcx, the result goes in rax.
 */
@SuppressWarnings("restricted") // executing code is the purpose
final class NativeCode implements AutoCloseable {
  static final String MISSING = "executes x64 code: needs Linux on x64";

  // Of mmap and mprotect.
  private static final int READ_WRITE = 3;
  private static final int READ_EXECUTE = 5;
  private static final int PRIVATE_ANONYMOUS = 0x22;

  private final Linker linker = Linker.nativeLinker();
  private final MemorySegment memory;
  private final long size;

  /** Puts code into pages of its own. */
  NativeCode(AssembledCode code) {
    size = (code.length() + 0xFFF) & ~0xFFFL;
    MethodHandle mmap =
        function(
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    MethodHandle mprotect =
        function(
            "mprotect",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT));
    try {
      MemorySegment at =
          (MemorySegment) mmap.invokeExact(0L, size, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      if (at.address() == -1) {
        throw new IllegalStateException("no memory for " + size + " bytes of code");
      }
      memory = at.reinterpret(size);
      byte[] bytes = code.bytesAt(at.address());
      MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
      if ((int) mprotect.invokeExact(memory, size, READ_EXECUTE) != 0) {
        throw new IllegalStateException("pages refused to become executable");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean available() {
    String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    return System.getProperty("os.name", "").startsWith("Linux")
        && (architecture.equals("amd64") || architecture.equals("x86_64"));
  }

  private MethodHandle function(String name, FunctionDescriptor type) {
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** Calls the code at its beginning. */
  long call(long first, long second, long third, long fourth) {
    MethodHandle handle =
        linker.downcallHandle(
            memory,
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG));
    try {
      return (long) handle.invokeExact(first, second, third, fourth);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Memory that the code may write to. */
  static MemorySegment data(Arena arena, byte... content) {
    MemorySegment data = arena.allocate(content.length, 64);
    MemorySegment.copy(content, 0, data, ValueLayout.JAVA_BYTE, 0, content.length);
    return data;
  }

  @Override
  public void close() {
    MethodHandle munmap =
        function(
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    try {
      if ((int) munmap.invokeExact(memory, size) != 0) {
        throw new IllegalStateException("memory of code is not given back");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
