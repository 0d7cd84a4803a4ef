package io.ntrail.export.stacks;

import io.ntrail.analysis.naming.FrameKind;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parts of a name that are kept, so that equal frames of two runs have equal names.
 *
 * @param ids whether processes keep their ids
 * @param numbers whether hexadecimal numbers stay: else each becomes {@code 0x...}
 * @param rebuilt modules, in small letters, whose places without a name mean something else in the
 *     other run: all of one are the same frame
 */
public record FrameNameOptions(boolean ids, boolean numbers, Set<String> rebuilt) {
  /** Keeps all of it. */
  public static final FrameNameOptions WHOLE = new FrameNameOptions(true, true, Set.of());

  /** The name of a place without a name, after that of its module. */
  public static final String UNNAMED = "!(unnamed)";

  private static final Pattern PLACE = Pattern.compile("(.+)(?:\\+|!)0x[0-9a-f]{1,16}");

  private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]+");

  /** The name of a frame, made to fit into every format. */
  public String of(String name, FrameKind kind) {
    String kept = kind == FrameKind.PROCESS && !ids ? FrameNames.withoutId(name) : name;
    if (!rebuilt.isEmpty()) {
      Matcher place = PLACE.matcher(kept);
      if (place.matches() && rebuilt.contains(place.group(1).toLowerCase(Locale.ROOT))) {
        return FrameNames.fit(place.group(1) + UNNAMED);
      }
    }
    return FrameNames.fit(numbers ? kept : NUMBER.matcher(kept).replaceAll("0x..."));
  }
}
