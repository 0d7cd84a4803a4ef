package io.ntrail.formats.pdb.codeview;

/** The kinds of symbol records that are read (SYM_ENUM_e of cvinfo.h), in its spelling. */
public final class SymbolKind {
  public static final int S_END = 0x0006;
  public static final int S_FRAMEPROC = 0x1012;
  public static final int S_ANNOTATION = 0x1019;
  public static final int S_OBJNAME = 0x1101;
  public static final int S_THUNK32 = 0x1102;
  public static final int S_BLOCK32 = 0x1103;
  public static final int S_WITH32 = 0x1104;
  public static final int S_LABEL32 = 0x1105;
  public static final int S_REGISTER = 0x1106;
  public static final int S_CONSTANT = 0x1107;
  public static final int S_UDT = 0x1108;
  public static final int S_COBOLUDT = 0x1109;
  public static final int S_BPREL32 = 0x110B;
  public static final int S_LDATA32 = 0x110C;
  public static final int S_GDATA32 = 0x110D;
  public static final int S_PUB32 = 0x110E;
  public static final int S_LPROC32 = 0x110F;
  public static final int S_GPROC32 = 0x1110;
  public static final int S_REGREL32 = 0x1111;
  public static final int S_LTHREAD32 = 0x1112;
  public static final int S_GTHREAD32 = 0x1113;
  public static final int S_COMPILE2 = 0x1116;
  public static final int S_LMANDATA = 0x111C;
  public static final int S_GMANDATA = 0x111D;
  public static final int S_PROCREF = 0x1125;
  public static final int S_DATAREF = 0x1126;
  public static final int S_LPROCREF = 0x1127;
  public static final int S_ANNOTATIONREF = 0x1128;
  public static final int S_TOKENREF = 0x1129;
  public static final int S_GMANPROC = 0x112A;
  public static final int S_LMANPROC = 0x112B;
  public static final int S_TRAMPOLINE = 0x112C;
  public static final int S_MANCONSTANT = 0x112D;
  public static final int S_SEPCODE = 0x1132;
  public static final int S_SECTION = 0x1136;
  public static final int S_COFFGROUP = 0x1137;
  public static final int S_EXPORT = 0x1138;
  public static final int S_FRAMECOOKIE = 0x113A;
  public static final int S_COMPILE3 = 0x113C;
  public static final int S_LOCAL = 0x113E;
  public static final int S_LPROC32_ID = 0x1146;
  public static final int S_GPROC32_ID = 0x1147;
  public static final int S_BUILDINFO = 0x114C;
  public static final int S_INLINESITE = 0x114D;
  public static final int S_INLINESITE_END = 0x114E;
  public static final int S_PROC_ID_END = 0x114F;
  public static final int S_FILESTATIC = 0x1153;
  public static final int S_LPROC32_DPC = 0x1155;
  public static final int S_LPROC32_DPC_ID = 0x1156;
  public static final int S_INLINESITE2 = 0x115D;

  private SymbolKind() {}

  /** Returns true if it is a procedure: it has an address, a length and a scope. */
  public static boolean isProcedure(int kind) {
    return switch (kind) {
      case S_LPROC32,
          S_GPROC32,
          S_LPROC32_ID,
          S_GPROC32_ID,
          S_LPROC32_DPC,
          S_LPROC32_DPC_ID,
          S_GMANPROC,
          S_LMANPROC ->
          true;
      default -> false;
    };
  }

  /** Returns true if it is a procedure in intermediate language. */
  public static boolean isManagedProcedure(int kind) {
    return kind == S_GMANPROC || kind == S_LMANPROC;
  }

  /** Returns true if it opens a scope, which an end closes. */
  public static boolean opensScope(int kind) {
    return switch (kind) {
      case S_THUNK32, S_BLOCK32, S_WITH32, S_SEPCODE, S_INLINESITE, S_INLINESITE2 -> true;
      default -> isProcedure(kind);
    };
  }

  /** Returns true if it closes a scope. */
  public static boolean closesScope(int kind) {
    return kind == S_END || kind == S_PROC_ID_END || kind == S_INLINESITE_END;
  }
}
