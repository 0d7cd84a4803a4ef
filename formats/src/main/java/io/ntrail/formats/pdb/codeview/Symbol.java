package io.ntrail.formats.pdb.codeview;

import static io.ntrail.formats.pdb.codeview.SymbolKind.*;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;

/**
 * One symbol record as values. Layouts: cvinfo.h, the structures PUBSYM32, PROCSYM32 and so on.
 *
 * <p>{@code at} is the record's offset in its stream, by which records refer to one another: {@code
 * parent} and {@code end} of scopes count from the start of the stream, the signature included
 * (some descriptions differ; files do not). {@code section} counts from 1, {@code offset} is one in
 * the section, {@code type} an index of the TPI stream.
 */
public sealed interface Symbol {
  /** Returns the offset of the record in its stream. */
  long at();

  /** A record that has an address. */
  sealed interface Placed extends Symbol {
    /** The section, from 1; 0 or one too large: the symbol has no address. */
    int section();

    /** The offset in the section. */
    long offset();

    /** The name as it is stored. */
    String name();
  }

  /**
   * S_PUB32: what other modules see.
   *
   * @param flags 1 code, 2 function, 4 managed, 8 IL
   * @param name decorated
   */
  record Public(long at, int flags, int section, long offset, String name) implements Placed {
    /** Returns true if it is a function, as far as the linker knew. */
    public boolean isFunction() {
      return (flags & 2) != 0;
    }

    /** Returns true if it is code. */
    public boolean isCode() {
      return (flags & 3) != 0;
    }
  }

  /**
   * S_GPROC32, S_LPROC32 and their variants: a procedure.
   *
   * @param kind which variant
   * @param end offset of the record that closes its scope
   * @param length bytes of code
   * @param debugBegin bytes of its prologue
   * @param debugEnd start of its epilogue, from its start
   * @param type index of its type; of managed ones the token of the method
   * @param flags CV_PROCFLAGS
   * @param name not decorated, with its scope
   */
  record Procedure(
      long at,
      int kind,
      long parent,
      long end,
      long length,
      long debugBegin,
      long debugEnd,
      long type,
      int section,
      long offset,
      int flags,
      String name)
      implements Placed {
    /** Returns true if it is managed: its offset is not one of native code. */
    public boolean isManaged() {
      return SymbolKind.isManagedProcedure(kind);
    }

    /** Returns true if its type is the number of an item, which has the type. */
    public boolean hasItem() {
      return switch (kind) {
        case S_GPROC32_ID, S_LPROC32_ID, S_LPROC32_DPC_ID -> true;
        default -> false;
      };
    }

    /** Returns true if it is visible to other modules. */
    public boolean isGlobal() {
      return kind == S_GPROC32 || kind == S_GPROC32_ID || kind == S_GMANPROC;
    }

    /** Returns true if its type is an item of the IPI stream and not of the TPI stream. */
    public boolean hasItemType() {
      return kind == S_GPROC32_ID || kind == S_LPROC32_ID || kind == S_LPROC32_DPC_ID;
    }
  }

  /**
   * S_THUNK32: a few instructions that go elsewhere.
   *
   * @param ordinal 0 none, 1 adjustor, 2 virtual call, 3 p-code, 4 load, 5 incremental linking, 6
   *     branch island
   */
  record Thunk(long at, long end, long length, int ordinal, int section, long offset, String name)
      implements Placed {}

  /** S_BLOCK32: a block of a procedure. */
  record Block(long at, long end, long length, int section, long offset, String name)
      implements Placed {}

  /** S_LABEL32: a label; functions of assembler code may have nothing else. */
  record Label(long at, int flags, int section, long offset, String name) implements Placed {}

  /**
   * S_SEPCODE: code of a procedure that is elsewhere.
   *
   * @param parentSection section of the procedure
   */
  record SeparateCode(
      long at,
      long end,
      long length,
      int section,
      long offset,
      int parentSection,
      long parentOffset)
      implements Symbol {}

  /**
   * S_INLINESITE, S_INLINESITE2: a function that was inlined here.
   *
   * @param inlinee an item of the IPI stream, LF_FUNC_ID or LF_MFUNC_ID
   * @param annotations the program that {@link InlineSiteLines} runs
   */
  record InlineSite(long at, long parent, long end, long inlinee, Bytes annotations)
      implements Symbol {}

  /** S_TRAMPOLINE: a thunk of incremental linking (kind 0), or a branch island (1). */
  record Trampoline(
      long at, int kind, int length, int section, long offset, int targetSection, long targetOffset)
      implements Symbol {}

  /** S_GDATA32, S_LDATA32 and those of threads. */
  record Data(long at, int kind, long type, int section, long offset, String name)
      implements Placed {
    /** Returns true if it is thread-local. */
    public boolean isThreadLocal() {
      return kind == S_GTHREAD32 || kind == S_LTHREAD32;
    }
  }

  /**
   * S_PROCREF and its variants: a symbol of a module.
   *
   * @param record offset of its record in the stream of the module
   * @param module the module's number, from 0 (stored from 1); -1: none
   */
  record Reference(long at, int kind, long record, int module, String name) implements Symbol {}

  /** S_UDT: a name of a type. */
  record Udt(long at, long type, String name) implements Symbol {}

  /** S_CONSTANT. */
  record Constant(long at, long type, long value, String name) implements Symbol {}

  /**
   * S_FRAMEPROC: the frame of the procedure around it.
   *
   * @param size bytes of its variables
   * @param savedRegisters bytes of registers that it saves
   * @param flags such as 8h inline assembler, 10h C++ exceptions, 40h SEH, 80h naked
   */
  record Frame(long at, long size, long savedRegisters, long flags) implements Symbol {}

  /**
   * S_LOCAL, S_REGREL32, S_BPREL32, S_REGISTER: a variable or parameter of the procedure around it.
   *
   * @param flags of S_LOCAL: 1 parameter; -1 where the record has none
   */
  record Variable(long at, int kind, long type, int flags, String name) implements Symbol {
    /** Returns true if the record is marked as a parameter; only S_LOCAL can be. */
    public boolean isParameter() {
      return flags >= 0 && (flags & 1) != 0;
    }
  }

  /** S_COMPILE2, S_COMPILE3: what made the module. */
  record Compiler(long at, int language, int machine, String version) implements Symbol {}

  /** The end of a scope. */
  record End(long at, int kind) implements Symbol {}

  /** Anything else. */
  record Other(long at, int kind) implements Symbol {}

  /**
   * Reads the record that a cursor is on.
   *
   * @throws DamagedInput if it is shorter than its kind needs
   */
  static Symbol of(CodeViewCursor r) {
    long at = r.offset();
    int kind = r.kind();
    return switch (kind) {
      case S_PUB32 -> new Public(at, r.i32(0), r.u16(8), r.u32(4), r.text(10));
      case S_LPROC32,
          S_GPROC32,
          S_LPROC32_ID,
          S_GPROC32_ID,
          S_LPROC32_DPC,
          S_LPROC32_DPC_ID,
          S_GMANPROC,
          S_LMANPROC ->
          procedure(r);
      case S_THUNK32 ->
          new Thunk(at, r.u32(4), r.u16(18), r.u8(20), r.u16(16), r.u32(12), r.text(21));
      case S_BLOCK32 -> new Block(at, r.u32(4), r.u32(8), r.u16(16), r.u32(12), r.text(18));
      case S_LABEL32 -> new Label(at, r.u8(6), r.u16(4), r.u32(0), r.text(7));
      case S_SEPCODE ->
          new SeparateCode(at, r.u32(4), r.u32(8), r.u16(24), r.u32(16), r.u16(26), r.u32(20));
      case S_INLINESITE, S_INLINESITE2 -> {
        int head = kind == S_INLINESITE ? 12 : 16;
        Bytes body = r.body();
        yield new InlineSite(
            at, r.u32(0), r.u32(4), r.u32(8), body.slice(head, body.length() - head));
      }
      case S_TRAMPOLINE ->
          new Trampoline(at, r.u16(0), r.u16(2), r.u16(12), r.u32(4), r.u16(14), r.u32(8));
      case S_LDATA32, S_GDATA32, S_LTHREAD32, S_GTHREAD32, S_LMANDATA, S_GMANDATA ->
          new Data(at, kind, r.u32(0), r.u16(8), r.u32(4), r.text(10));
      case S_PROCREF, S_LPROCREF, S_DATAREF, S_ANNOTATIONREF, S_TOKENREF ->
          new Reference(at, kind, r.u32(4), r.u16(8) - 1, r.text(10));
      case S_UDT, S_COBOLUDT -> new Udt(at, r.u32(0), r.text(4));
      case S_CONSTANT, S_MANCONSTANT -> {
        NumericLeaf value = NumericLeaf.read(r.body(), 4);
        yield new Constant(at, r.u32(0), value.value(), r.text(value.end()));
      }
      case S_FRAMEPROC -> new Frame(at, r.u32(0), r.u32(12), r.u32(22));
      case S_LOCAL -> new Variable(at, kind, r.u32(0), r.u16(4), r.text(6));
      case S_REGREL32 -> new Variable(at, kind, r.u32(4), -1, r.text(10));
      case S_BPREL32 -> new Variable(at, kind, r.u32(4), -1, r.text(8));
      case S_REGISTER -> new Variable(at, kind, r.u32(0), -1, r.text(6));
      case S_COMPILE2 -> new Compiler(at, r.u8(0), r.u16(4), r.text(18));
      case S_COMPILE3 -> new Compiler(at, r.u8(0), r.u16(4), r.text(22));
      case S_END, S_PROC_ID_END, S_INLINESITE_END -> new End(at, kind);
      default -> new Other(at, kind);
    };
  }

  private static Procedure procedure(CodeViewCursor r) {
    boolean managed = r.kind() == S_GMANPROC || r.kind() == S_LMANPROC;
    return new Procedure(
        r.offset(),
        r.kind(),
        r.u32(0),
        r.u32(4),
        r.u32(12),
        r.u32(16),
        r.u32(20),
        r.u32(24),
        r.u16(32),
        r.u32(28),
        r.u8(34),
        r.text(managed ? 37 : 35));
  }
}
