package io.ntrail.programs.handlers;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The language handlers of x64, and what data each reads. */
public enum HandlerKind {
  // @formatter:off
  /** {@code __try} of C. */
  C                 ("__C_specific_handler",              Shape.SCOPES,     false),
  /** {@code __C_specific_handler} where an exception that gets out ends the program. */
  C_NOEXCEPT        ("__C_specific_handler_noexcept",     Shape.SCOPES,     false),
  /** A stack cookie and nothing else. */
  GS                ("__GSHandlerCheck",                  Shape.NOTHING,    true),
  /** A stack cookie, then {@link #C}. */
  GS_C              ("__GSHandlerCheck_SEH",              Shape.SCOPES,     true),
  /** A stack cookie, then {@link #C_NOEXCEPT}. */
  GS_C_NOEXCEPT     ("__GSHandlerCheck_SEH_noexcept",     Shape.SCOPES,     true),
  /** Objects and {@code try} of C++, the oldest. */
  CXX               ("__CxxFrameHandler",                 Shape.CXX,        false),
  /** The handler of C++ before version 3, with flags. */
  CXX2              ("__CxxFrameHandler2",                Shape.CXX,        false),
  /** The handler of C++ with plain structures. */
  CXX3              ("__CxxFrameHandler3",                Shape.CXX,        false),
  /** A stack cookie, then {@link #CXX3}. */
  GS_CXX3           ("__GSHandlerCheck_EH",               Shape.CXX,        true),
  /** The handler of C++ with packed structures. */
  CXX4              ("__CxxFrameHandler4",                Shape.CXX_PACKED, false),
  /** A stack cookie, then {@link #CXX4}. */
  GS_CXX4           ("__GSHandlerCheck_EH4",              Shape.CXX_PACKED, true),
  /** C++ of GCC and Clang for MinGW. */
  GXX               ("__gxx_personality_seh0",            Shape.ITANIUM,    false),
  /** C of GCC with cleanups. */
  GCC               ("__gcc_personality_seh0",            Shape.ITANIUM,    false),
  /** Objective-C of GCC. */
  GNU_OBJC          ("__gnu_objc_personality_seh0",       Shape.ITANIUM,    false),
  /** Ada of GCC. */
  GNAT              ("__gnat_personality_seh0",           Shape.ITANIUM,    false),
  /** Rust for MinGW. */
  RUST              ("rust_eh_personality",               Shape.ITANIUM,    false),
  /** One of those of GCC and its kin, which of them is not known. */
  ITANIUM           ("",                                  Shape.ITANIUM,    false),
  /** One with a name of which nothing more is known, or one of which nothing is known. */
  OTHER             ("",                                  Shape.UNKNOWN,    false);
  // @formatter:on

  /** Structures that handler data start with. */
  public enum Shape {
    /** A table of scopes. */
    SCOPES,
    /** The RVA of {@link io.ntrail.formats.pe.handlers.FuncInfo3}. */
    CXX,
    /** The RVA of {@link io.ntrail.formats.pe.handlers.FuncInfo4}. */
    CXX_PACKED,
    /** A table as GCC writes it. */
    ITANIUM,
    /** No data of their own. */
    NOTHING,
    /** Unknown. */
    UNKNOWN
  }

  private static final Map<String, HandlerKind> BY_SYMBOL =
      Arrays.stream(values())
          .filter(kind -> !kind.symbol.isEmpty())
          .collect(Collectors.toUnmodifiableMap(HandlerKind::symbol, Function.identity()));

  private final String symbol;
  private final Shape shape;
  private final boolean cookie;

  HandlerKind(String symbol, Shape shape, boolean cookie) {
    this.symbol = symbol;
    this.shape = shape;
    this.cookie = cookie;
  }

  /** Its name in the C runtime; empty: unknown. */
  public String symbol() {
    return symbol;
  }

  /** Returns the structure that its data start with. */
  public Shape shape() {
    return shape;
  }

  /** Returns true if its data end with the place of the stack cookie. */
  public boolean hasCookie() {
    return cookie;
  }

  /** The one with a name. */
  static Optional<HandlerKind> of(String symbol) {
    return Optional.ofNullable(BY_SYMBOL.get(symbol));
  }

  /** The one that checks the stack cookie and then calls this one, if there is such. */
  Optional<HandlerKind> checked() {
    return switch (this) {
      case C -> Optional.of(GS_C);
      case C_NOEXCEPT -> Optional.of(GS_C_NOEXCEPT);
      case CXX, CXX2, CXX3 -> Optional.of(GS_CXX3);
      case CXX4 -> Optional.of(GS_CXX4);
      default -> Optional.empty();
    };
  }
}
