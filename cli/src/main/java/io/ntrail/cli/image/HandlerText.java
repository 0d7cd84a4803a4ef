package io.ntrail.cli.image;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.CxxFunction.Catch;
import io.ntrail.formats.pe.handlers.CxxFunction.IpState;
import io.ntrail.formats.pe.handlers.CxxFunction.Step;
import io.ntrail.formats.pe.handlers.CxxFunction.Try;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.FuncInfo4;
import io.ntrail.formats.pe.handlers.GsData;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.programs.handlers.HandledFunction;
import io.ntrail.programs.handlers.HandlerData;
import io.ntrail.programs.handlers.LanguageHandler;
import io.ntrail.programs.handlers.LanguageHandlers;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Text of a function's language handler and its data. */
final class HandlerText {
  private final PrintStream out;

  HandlerText(PrintStream out) {
    this.out = out;
  }

  /**
   * The handler of a function and its data. What of the data cannot be read is a gap of the image.
   */
  static Optional<HandledFunction> handled(
      PeImage image, LanguageHandlers handlers, UnwindChain chain) {
    Optional<HandledFunction> handled = handlers.of(chain);
    handled
        .flatMap(function -> damage(image, function))
        .ifPresent(why ->
            image.gap(
                chain.last().handlerData(),
                -1,
                "data of the language handler",
                "of the function at " + Numbers.hex(chain.primary().begin()) + ": " + why));
    return handled;
  }

  private static Optional<String> damage(PeImage image, HandledFunction function) {
    return switch (function.data()) {
      case HandlerData.Scopes(var table, _) -> table.damage();
      case HandlerData.Cxx(var cxx, _) -> cxx.damage();
      case HandlerData.Itanium(long rva) -> missing(image, rva);
      case HandlerData.Unknown(long rva) -> missing(image, rva);
      case HandlerData.Cookie _ -> Optional.empty();
    };
  }

  private static Optional<String> missing(PeImage image, long rva) {
    return image.view().has(rva, 1)
        ? Optional.empty()
        : Optional.of("they should be at " + Numbers.hex(rva) + ", where the image has nothing");
  }

  void print(HandledFunction function) {
    LanguageHandler handler = function.handler();
    out.println();
    out.printf(
        Locale.ROOT,
        "  Language handler at %s: %s (%s)%n",
        Numbers.hex(handler.rva()),
        handler.name().isEmpty() ? "unknown" : handler.name(),
        switch (handler.found()) {
          case IMPORT -> "by its import thunk";
          case EXPORT -> "by its export";
          case CALLS -> "by its calls";
          case DATA -> "by the layout of its data";
          case NOT_FOUND -> "unnamed";
        });
    switch (function.data()) {
      case HandlerData.Scopes(var table, var cookie) -> {
        scopes(table);
        cookie.ifPresent(this::cookie);
      }
      case HandlerData.Cxx(var cxx, var cookie) -> {
        cxx(cxx);
        cookie.ifPresent(this::cookie);
      }
      case HandlerData.Cookie(var cookie) -> cookie(cookie);
      case HandlerData.Itanium(long rva) ->
          out.printf(
              Locale.ROOT,
              "    GCC language-specific data area (LSDA) at %s, not decoded%n",
              Numbers.hex(rva));
      case HandlerData.Unknown(long rva) ->
          out.printf(Locale.ROOT, "    handler data of unknown format at %s%n", Numbers.hex(rva));
    }
  }

  private void scopes(ScopeTable table) {
    out.printf(Locale.ROOT, "    %s%n", Numbers.counted(table.scopes().size(), "scope"));
    for (ScopeTable.Scope scope : table.scopes()) {
      out.printf(
          Locale.ROOT,
          "    __try %s..%s %s%n",
          Numbers.hex(scope.begin()),
          Numbers.hex(scope.end()),
          scope.isFinally()
              ? "__finally " + Numbers.hex(scope.handler())
              : scope.takesAll()
                  ? "__except (EXCEPTION_EXECUTE_HANDLER), at " + Numbers.hex(scope.target())
                  : "__except filter "
                      + Numbers.hex(scope.handler())
                      + ", at "
                      + Numbers.hex(scope.target()));
    }
    table.damage().ifPresent(why -> out.printf(Locale.ROOT, "    damaged: %s%n", why));
  }

  private void cookie(GsData cookie) {
    out.printf(Locale.ROOT, "    stack cookie at frame %s%n", signed(cookie.cookieOffset()));
  }

  private static String signed(long offset) {
    return offset < 0 ? "-" + Numbers.hex(-offset) : "+" + Numbers.hex(offset);
  }

  private void cxx(CxxFunction cxx) {
    int number = 0;
    for (Step step : cxx.steps()) {
      out.printf(
          Locale.ROOT,
          "    state %d: then state %d%s%n",
          number++,
          step.toState(),
          step.handler() == 0 ? "" : ", cleanup " + Numbers.hex(step.handler()));
    }
    for (Try block : cxx.tries()) {
      out.printf(
          Locale.ROOT,
          "    try states %d..%d, catches up to %d%n",
          block.low(),
          block.high(),
          block.catchHigh());
      for (Catch handler : block.catches()) {
        out.printf(
            Locale.ROOT,
            "      catch %s at %s%n",
            handler.takesAll() ? "(...)" : handler.typeName(),
            Numbers.hex(handler.handler()));
      }
    }
    for (List<IpState> states : states(cxx)) {
      for (IpState state : states) {
        out.printf(Locale.ROOT, "    from %s: state %d%n", Numbers.hex(state.ip()), state.state());
      }
    }
    cxx.damage().ifPresent(why -> out.printf(Locale.ROOT, "    damaged: %s%n", why));
  }

  private static List<List<IpState>> states(CxxFunction cxx) {
    return switch (cxx) {
      case FuncInfo3 three -> List.of(three.ipStates());
      case FuncInfo4 four -> four.segments().stream().map(FuncInfo4.Segment::ipStates).toList();
    };
  }
}
