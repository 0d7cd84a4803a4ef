package io.ntrail.analysis.stacks;

import io.ntrail.programs.symbols.SymbolFrame;
import io.ntrail.programs.symbols.SymbolizedAddress;
import io.ntrail.programs.unwind.FrameTrust;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One frame of a stack with its names.
 *
 * <p>A function that was inlined is a frame of its own, before the frame of the function that has
 * its code; it has the addresses of that frame, and trust {@link FrameTrust#INLINE}.
 *
 * @param trust how it was found
 * @param ip where control is in this frame: in callers the return address; {@link #UNKNOWN} if the
 *     frame stands for a function, and not for one place in it
 * @param sp stack pointer while control is in this frame; {@link #UNKNOWN} if it was not recorded
 * @param returnAddress where this frame returns to; {@link #UNKNOWN} if unknown
 * @param module last part of the path of the image that the address lies in, {@value #JITTED} for
 *     code that was compiled while the program ran; null if unknown
 * @param rva of the address in that image; {@link #UNKNOWN} if it lies in none
 * @param function name of the function; null if unknown
 * @param offset of the address from the function's first byte; {@link #UNKNOWN} if unknown, and of
 *     inlined functions
 * @param source origin of the name; null if there is none, or the origin is not a symbol
 * @param file path of its source when it was built; null if unknown
 * @param line from 1; 0 if unknown
 * @param remark more about the place, as a noun phrase: {@code no module}, {@code managed}; null if
 *     there is no more to say
 */
public record NamedFrame(
    FrameTrust trust,
    long ip,
    long sp,
    long returnAddress,
    @Nullable String module,
    long rva,
    @Nullable String function,
    long offset,
    SymbolizedAddress.@Nullable Origin source,
    @Nullable String file,
    int line,
    @Nullable String remark) {
  /** An address, an RVA or an offset that is not known. No code and no stack lies there. */
  public static final long UNKNOWN = -1;

  /** Module of code that was compiled while the program ran. */
  public static final String JITTED = "(jitted)";

  /** Returns a frame at an address of which nothing more is known. */
  public static NamedFrame of(FrameTrust trust, long ip) {
    return new NamedFrame(
        trust, ip, UNKNOWN, UNKNOWN, null, UNKNOWN, null, UNKNOWN, null, null, 0, null);
  }

  /** Returns the frame with its place on the stack. */
  public NamedFrame on(long stackPointer, long returnsTo) {
    return new NamedFrame(
        trust,
        ip,
        stackPointer,
        returnsTo,
        module,
        rva,
        function,
        offset,
        source,
        file,
        line,
        remark);
  }

  /** Returns the frame with the module that it lies in, whose function has no name. */
  public NamedFrame in(String moduleName, long rvaThere) {
    return new NamedFrame(
        trust, ip, sp, returnAddress, moduleName, rvaThere, null, UNKNOWN, null, null, 0, null);
  }

  /** Returns the frame with the name of its function, whose place is not known. */
  public NamedFrame named(@Nullable String name) {
    return new NamedFrame(
        trust, ip, sp, returnAddress, module, rva, name, UNKNOWN, null, null, 0, remark);
  }

  /** Returns the frame with more about its place. */
  public NamedFrame remarked(String words) {
    return new NamedFrame(
        trust, ip, sp, returnAddress, module, rva, function, offset, source, file, line, words);
  }

  /**
   * Adds the frames of the symbol at a frame in a module: the functions that were inlined there,
   * then the one that has the code.
   *
   * @param symbol found for the address, or for a byte of the call before it
   * @param before bytes between the two: how far the symbol was looked up before the address
   */
  public void addTo(List<NamedFrame> frames, SymbolizedAddress symbol, long before) {
    for (SymbolFrame frame : symbol.frames()) {
      boolean inlined = frame.isInlined();
      frames.add(
          new NamedFrame(
              inlined ? FrameTrust.INLINE : trust,
              ip,
              sp,
              returnAddress,
              module,
              rva,
              frame.function().isEmpty() ? null : frame.function(),
              inlined ? UNKNOWN : symbol.offset() + before,
              symbol.origin(),
              frame.file().isEmpty() ? null : frame.file(),
              frame.line(),
              remark));
    }
  }

  /** Returns true if it has no code of its own: the next frame has it. */
  public boolean isInlined() {
    return trust == FrameTrust.INLINE;
  }

  /**
   * Returns true if the name is only the nearest one before the address: a function without a name
   * may lie between.
   */
  public boolean isNearest() {
    return source != null && !source.isExact();
  }

  /**
   * Returns the text for people: {@code module!function}, {@code module+0x1234}, or the bare
   * address.
   */
  public String text() {
    if (module != null && function != null) {
      return module + "!" + function;
    }
    if (module != null && rva != UNKNOWN) {
      return module + "+0x" + Long.toHexString(rva);
    }
    String where = module != null ? module : "(" + (remark == null ? "unknown" : remark) + ")";
    return ip == UNKNOWN ? where : "0x" + Long.toHexString(ip) + " " + where;
  }

  /** Returns the text for people with the place in the function: {@code module!function + 0x2c}. */
  public String place() {
    return function != null && offset > 0 ? text() + " + 0x" + Long.toHexString(offset) : text();
  }
}
