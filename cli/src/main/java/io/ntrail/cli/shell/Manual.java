package io.ntrail.cli.shell;

import io.ntrail.cli.text.HelpTexts;
import io.ntrail.cli.text.Version;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Manual pages, as text and as troff, from a command's options and its written help. */
final class Manual {
  private static final int INDENT = 28;
  private static final int COLUMNS = 100;

  private static final String EXIT_CODES =
      """
      0 done; 1 failed, no result; 2 wrong usage; 3 a result, but some bytes of the input could not
      be read (with --strict also if the recorder counted losses); 4 not allowed or not possible on
      this system; 130 interrupted by Ctrl+C (what was ready has been printed).\
      """;

  private Manual() {}

  /** The manual page for {@code --help}. */
  static String text(String name, CommandSpec spec) {
    StringBuilder text = new StringBuilder(HelpTexts.page(name));
    if (!spec.options().isEmpty()) {
      text.append("\noptions\n");
      for (OptionSpec option : spec.options()) {
        String names = names(option);
        text.append("  ").append(names);
        text.append(" ".repeat(Math.max(2, INDENT - 2 - names.length())));
        wrap(text, String.join(" ", option.description()));
      }
    }
    text.append("\nexit codes\n");
    EXIT_CODES.lines().forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }

  /** Appends a text that begins in column {@link #INDENT}, and a line end. */
  private static void wrap(StringBuilder text, String words) {
    int column = INDENT;
    String gap = "";
    for (String word : words.split(" ", -1)) {
      if (column + gap.length() + word.length() > COLUMNS) {
        text.append('\n').append(" ".repeat(INDENT));
        column = INDENT;
        gap = "";
      }
      text.append(gap).append(word);
      column += gap.length() + word.length();
      gap = " ";
    }
    text.append('\n');
  }

  private static String names(OptionSpec option) {
    String names = String.join(", ", List.of(option.names()));
    return option.arity().max() == 0 ? names : names + " " + option.paramLabel();
  }

  /** The manual page of one command in troff. */
  static String troff(String name, String purpose, CommandSpec spec) {
    StringBuilder page = new StringBuilder();
    head(page, "ntrail-" + name, purpose);
    page.append(".SH SYNOPSIS\n.B ntrail ").append(name).append('\n');
    for (PositionalParamSpec word : spec.positionalParameters()) {
      boolean several = word.completionCandidates() == null;
      page.append(word.paramLabel()).append(several ? " ... " : " ");
    }
    page.append("[options]\n");
    page.append(".SH DESCRIPTION\n.nf\n")
        .append(escape(HelpTexts.page(name).strip()))
        .append("\n.fi\n");
    if (!spec.options().isEmpty()) {
      page.append(".SH OPTIONS\n");
      for (OptionSpec option : spec.options()) {
        page.append(".TP\n.B ").append(escape(names(option))).append('\n');
        page.append(escape(String.join(" ", option.description()))).append('\n');
      }
    }
    tail(page, "ntrail(1)");
    return page.toString();
  }

  /** The manual page of the program in troff. */
  static String troff() {
    StringBuilder page = new StringBuilder();
    head(page, "ntrail", "reads and makes recordings of Windows programs");
    page.append(".SH SYNOPSIS\n.B ntrail\nCOMMAND ...\n.SH COMMANDS\n");
    for (Commands.Entry entry : Commands.listed()) {
      page.append(".TP\n.B ")
          .append(entry.name())
          .append('\n')
          .append(entry.purpose())
          .append('\n');
    }
    StringBuilder others = new StringBuilder();
    for (Commands.Entry entry : Commands.listed()) {
      others
          .append(others.isEmpty() ? "" : ", ")
          .append("ntrail-")
          .append(entry.name())
          .append("(1)");
    }
    tail(page, others.toString());
    return page.toString();
  }

  private static void head(StringBuilder page, String title, String purpose) {
    page.append(".TH ")
        .append(title.toUpperCase(java.util.Locale.ROOT))
        .append(" 1 \"\" \"ntrail ")
        .append(Version.NUMBER)
        .append("\"\n.SH NAME\n")
        .append(title)
        .append(" \\- ")
        .append(purpose)
        .append('\n');
  }

  private static void tail(StringBuilder page, String others) {
    page.append(".SH EXIT STATUS\n").append(escape(EXIT_CODES)).append('\n');
    page.append(".SH SEE ALSO\n").append(others).append('\n');
  }

  private static String escape(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
  }
}
