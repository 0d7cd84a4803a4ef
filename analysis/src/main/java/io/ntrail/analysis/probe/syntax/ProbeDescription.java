package io.ntrail.analysis.probe.syntax;

/**
 * Description of probes: {@code provider:module:function:name}, or a number. Empty fields mean any;
 * a field is a pattern with {@code *}, {@code ?} and {@code [...]}, or, behind a {@code ~}, a
 * regular expression.
 *
 * @param id number of the probe; 0: described by its fields
 * @param text as written
 */
public record ProbeDescription(
    String provider,
    String module,
    String function,
    String name,
    int id,
    String text,
    Place place) {
  /** Fields that a word without colons may stand for. */
  public enum Field {
    PROVIDER,
    MODULE,
    FUNCTION,
    NAME
  }

  /** A description whose fields are filled from the right. */
  static ProbeDescription of(String text, Field last, Place place) {
    if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9') && text.length() < 10) {
      return new ProbeDescription("", "", "", "", Integer.parseInt(text), text, place);
    }
    int mark = text.indexOf('!');
    if (mark > 0 && text.charAt(mark - 1) != '[') {
      int colon = text.lastIndexOf(':');
      boolean hasName = colon > mark && text.charAt(colon - 1) != ':';
      String function = text.substring(mark + 1, hasName ? colon : text.length());
      String name = hasName ? text.substring(colon + 1) : "";
      return new ProbeDescription("", text.substring(0, mark), function, name, 0, text, place);
    }
    String[] parts = text.split(":", -1);
    int fields = last.ordinal() + 1;
    if (parts.length > fields) {
      throw new CompileError(
          "D_PDESC_INVAL", place, "a probe description has at most %d fields".formatted(fields));
    }
    String[] all = {"", "", "", ""};
    System.arraycopy(parts, 0, all, fields - parts.length, parts.length);
    return new ProbeDescription(all[0], all[1], all[2], all[3], 0, text, place);
  }

  /** Returns true if it is made of a module and a function with a mark between them. */
  public boolean isByFunction() {
    return provider.isEmpty() && text.indexOf('!') > 0;
  }
}
