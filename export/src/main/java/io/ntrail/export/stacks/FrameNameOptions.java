package io.ntrail.export.stacks;

import io.ntrail.analysis.naming.FrameKind;
import java.util.regex.Pattern;

/**
 * Parts of a name that are kept, so that equal frames of two runs have equal names.
 *
 * @param ids whether processes keep their ids
 * @param numbers whether hexadecimal numbers stay: else each becomes {@code 0x...}
 */
public record FrameNameOptions(boolean ids, boolean numbers) {
  /** Keeps all of it. */
  public static final FrameNameOptions WHOLE = new FrameNameOptions(true, true);

  private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]+");

  /** The name of a frame, made to fit into every format. */
  public String of(String name, FrameKind kind) {
    String kept = kind == FrameKind.PROCESS && !ids ? FrameNames.withoutId(name) : name;
    return FrameNames.fit(numbers ? kept : NUMBER.matcher(kept).replaceAll("0x..."));
  }
}
