package io.ntrail.export.stacks;

import io.ntrail.analysis.naming.FrameKind;
import java.util.regex.Pattern;

/**
 * What of a name is kept, so that frames of two runs that mean the same have the same name.
 *
 * @param ids whether processes keep their ids
 * @param numbers whether hexadecimal numbers stay: else each becomes {@code 0x...}
 */
public record FrameNameOptions(boolean ids, boolean numbers) {
  /** All of it. */
  public static final FrameNameOptions WHOLE = new FrameNameOptions(true, true);

  private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]+");

  /** The name of a frame, made to fit into every format. */
  public String of(String name, FrameKind kind) {
    String kept = kind == FrameKind.PROCESS && !ids ? FrameNames.withoutId(name) : name;
    return FrameNames.fit(numbers ? kept : NUMBER.matcher(kept).replaceAll("0x..."));
  }
}
