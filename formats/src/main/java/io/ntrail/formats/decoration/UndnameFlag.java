package io.ntrail.formats.decoration;

import java.util.EnumSet;
import java.util.Set;

/**
 * Parts that the text of the C runtime can leave out. Named as in Microsoft's {@code UNDNAME_}
 * constants, with the same bits.
 *
 * <p>Source: the documentation of {@code UnDecorateSymbolName} (DbgHelp) and of {@code
 * IDiaSymbol::get_undecoratedNameEx}, which has the last three. Bits that have nothing to leave out
 * in today's programs are not here: {@code NO_ALLOCATION_MODEL}, {@code NO_RETURN_UDT_MODEL},
 * {@code 32_BIT_DECODE}.
 */
public enum UndnameFlag {
  /** The underscores in front of Microsoft's keywords: {@code cdecl}. */
  NO_LEADING_UNDERSCORES(0x1),
  /** Microsoft's keywords. */
  NO_MS_KEYWORDS(0x2),
  /** The result of the function. */
  NO_FUNCTION_RETURNS(0x4),
  /** The calling convention. */
  NO_ALLOCATION_LANGUAGE(0x10),
  /** Microsoft's keywords after the parameters of a member: {@code __ptr64}. */
  NO_MS_THISTYPE(0x20),
  /** {@code const} and {@code volatile} after the parameters of a member. */
  NO_CV_THISTYPE(0x40),
  /** {@code public:} and the others. */
  NO_ACCESS_SPECIFIERS(0x80),
  /** Exception specifications. */
  NO_THROW_SIGNATURES(0x100),
  /** {@code static} and {@code virtual}. */
  NO_MEMBER_TYPE(0x200),
  /** All but the name with its scopes. */
  NAME_ONLY(0x1000),
  /** The parameters of the function. */
  NO_ARGUMENTS(0x2000),
  /** {@code enum}, {@code class}, {@code struct} and {@code union}. */
  NO_ECSU(0x8000),
  /** No effect any more: names with characters that are not allowed in identifiers are accepted. */
  NO_IDENT_CHAR_CHECK(0x10000),
  /** {@code __ptr64}. */
  NO_PTR64(0x20000);

  private final int bit;

  UndnameFlag(int bit) {
    this.bit = bit;
  }

  /** Returns the flags of Microsoft's constants; other bits are ignored. */
  public static Set<UndnameFlag> of(int bits) {
    Set<UndnameFlag> flags = EnumSet.noneOf(UndnameFlag.class);
    for (UndnameFlag flag : values()) {
      if ((bits & flag.bit) != 0) {
        flags.add(flag);
      }
    }
    return flags;
  }
}
