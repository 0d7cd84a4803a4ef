package io.ntrail.cli.command;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.RuntimeFunction;
import io.ntrail.formats.pe.UnwindChain;
import io.ntrail.formats.pe.UnwindCode;
import io.ntrail.formats.pe.UnwindInfo;
import io.ntrail.formats.pe.UnwindInfo.Epilog;
import java.io.PrintStream;
import java.util.Locale;

/**
 * {@code image --unwind FUNCTION}: the entry and its unwind information as debuggers spell them.
 */
final class ImageUnwind {
  private final PrintStream out;

  ImageUnwind(PrintStream out) {
    this.out = out;
  }

  /** The entry as stored, then every link of its chain. */
  void print(RuntimeFunction entry, UnwindChain chain) {
    line("  BeginAddress      = %s", Numbers.hex(entry.begin()));
    line("  EndAddress        = %s", Numbers.hex(entry.end()));
    line(
        "  UnwindInfoAddress = %s%s",
        Numbers.hex(entry.unwindInfo()),
        entry.indirect() ? " (low bit set: another entry describes this range)" : "");
    for (UnwindChain.Link link : chain.links()) {
      info(link.function(), link.info());
    }
    chain.damage().ifPresent(why -> line("  damaged: %s", why));
  }

  private void info(RuntimeFunction function, UnwindInfo info) {
    out.println();
    line(
        "  Unwind info at %s, %s", Numbers.hex(info.rva()), Numbers.counted(info.length(), "byte"));
    line(
        "    version %d, flags %x%s, prolog %x, codes %x%s",
        info.version(),
        info.flags(),
        info.flags() == 0 ? "" : " (" + UnwindText.flags(info) + ")",
        info.prologSize(),
        info.codeCount(),
        info.frameRegister() == 0
            ? ""
            : ", frame reg "
                + UnwindCode.generalName(info.frameRegister())
                + ", frame offs "
                + Integer.toHexString(info.frameOffset()));
    info.damage().ifPresent(why -> line("    damaged: %s", why));
    for (UnwindCode code : info.codes()) {
      code("    ", code);
    }
    for (Epilog epilog : info.epilogs()) {
      epilog(function, info, epilog);
    }
    info.chained()
        .ifPresent(parent ->
            line(
                "    chained to %s..%s, unwind info at %s",
                Numbers.hex(parent.begin()),
                Numbers.hex(parent.end()),
                Numbers.hex(parent.unwindInfo())));
  }

  private void code(String indent, UnwindCode code) {
    out.println(
        String.format(
                Locale.ROOT,
                "%s%02x: offs %x, unwind op %x, op info %x  %s %s",
                indent,
                code.at(),
                code.offset(),
                code.operation().number(),
                code.info(),
                code.operation().name(),
                UnwindText.operand(code))
            .stripTrailing());
  }

  private void epilog(RuntimeFunction function, UnwindInfo info, Epilog epilog) {
    line(
        "    epilog at %s, %s",
        Numbers.hex(epilog.startIn(function)),
        info.version() == 2
            ? Numbers.counted(epilog.size(), "byte")
            : "leaves at +" + Integer.toHexString(epilog.size()));
    for (UnwindCode code : epilog.codes()) {
      code("      ", code);
    }
  }

  private void line(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}
