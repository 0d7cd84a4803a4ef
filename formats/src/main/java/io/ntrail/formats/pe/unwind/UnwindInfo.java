package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.pe.ImageView;
import java.util.List;
import java.util.Optional;

/**
 * UNWIND_INFO: how to recover the caller's registers and stack from within a function.
 *
 * <p>Byte 0: version (3 bits) and flags, 1: size of the prologue. In version 1 and 2 follow 2:
 * number of slots of the codes, 3: frame register (4 bits) and a sixteenth of its offset, 4: the
 * codes; in version 3 2: number of words of the payload, 3: numbers of operations (5 bits) and
 * epilogues, 4: the payload. After it, on a multiple of 4: the RVA of a handler and its data, or
 * the {@link RuntimeFunction} that this one continues.
 *
 * <p>{@code damage} is the reason why a part cannot be read; the rest then is as far as it could be
 * read. Several entries of a {@link FunctionTable} share one where they look alike.
 *
 * <p>Sources: Microsoft's description of x64 exception handling; version 2 as the system reads it;
 * version 3 as Microsoft published it in 2026, before any image had it.
 *
 * @param rva its RVA
 * @param version 1, 2 or 3; others are damage
 * @param flags {@link #EHANDLER} and its siblings
 * @param prologSize bytes of the prologue
 * @param codeCount slots of the codes as stored; in version 3 operations
 * @param payloadWords of version 3: words of the payload; else 0
 * @param frameRegister number of the frame register, 0: the function has none. In version 3 it is
 *     the one that the prologue sets
 * @param frameOffset bytes from the stack pointer to the target of the frame register
 * @param codes operations of the prologue, the last one first; in version 2 also the codes that
 *     locate epilogues
 * @param epilogs the epilogues; none in version 1
 * @param handler RVA of the language handler, or 0
 * @param handlerData RVA of its data, or 0
 * @param chained the entry that this one continues
 * @param length bytes up to the end of what is known: the data of a handler are not counted
 * @param damage why not all of it could be read
 */
public record UnwindInfo(
    long rva,
    int version,
    int flags,
    int prologSize,
    int codeCount,
    int payloadWords,
    int frameRegister,
    int frameOffset,
    List<UnwindCode> codes,
    List<Epilog> epilogs,
    long handler,
    long handlerData,
    Optional<RuntimeFunction> chained,
    int length,
    Optional<String> damage) {
  /** UNW_FLAG_EHANDLER: the handler is called in the search for one that handles an exception. */
  public static final int EHANDLER = 1;

  /** UNW_FLAG_UHANDLER: the handler is to be called when its frame is left. */
  public static final int UHANDLER = 2;

  /** UNW_FLAG_CHAININFO: it continues another one, and has no handler of its own. */
  public static final int CHAININFO = 4;

  /** UNW_FLAG_LARGE of version 3: the prologue can be longer than 255 bytes. */
  public static final int LARGE = 8;

  /** UNW_EPILOG_FLAG of version 3: it ends in another fragment of the same function. */
  public static final int PARENT_FRAGMENT_TRANSFER = 1;

  /**
   * An epilogue: code that undoes the prologue.
   *
   * @param start its start: from 0 on bytes from the start of the range of code, below 0 from its
   *     end
   * @param size in version 2 bytes: its pops and the instruction that leaves, but nothing before
   *     them; in version 3 the offset of the instruction that leaves
   * @param flags of version 3, {@link #PARENT_FRAGMENT_TRANSFER}
   * @param stored the offset as stored: in version 2 from the end of the range back to its start
   *     (0: it is the one at the end), in version 3 from the previous epilogue
   * @param inherited whether its operations are those of a previous epilogue
   * @param firstOp in version 3 the start of the codes in the pool
   * @param codes operations that its instructions undo, in their order; only in version 3
   */
  public record Epilog(
      int start,
      int size,
      int flags,
      int stored,
      boolean inherited,
      int firstOp,
      List<UnwindCode> codes) {
    /** The RVA of its first instruction in a range of code. */
    public long startIn(RuntimeFunction function) {
      return (start < 0 ? function.end() : function.begin()) + start;
    }
  }

  /** Reads the unwind information at an RVA; never fails. */
  public static UnwindInfo read(ImageView view, long rva) {
    return new UnwindInfoReader(view, rva).read();
  }

  /** Returns true if all bits of a flag are set. */
  public boolean is(int flag) {
    return (flags & flag) == flag;
  }

  /** Returns true if it has a language handler. */
  public boolean hasHandler() {
    return handler != 0;
  }

  /** Returns the codes that have an effect: without those that only locate epilogues. */
  public List<UnwindCode> prologCodes() {
    return codes.stream().filter(code -> !code.operation().isNothing()).toList();
  }
}
