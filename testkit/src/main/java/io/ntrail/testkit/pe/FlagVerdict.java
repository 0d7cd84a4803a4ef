package io.ntrail.testkit.pe;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule that was tried on an image of group {@code flags}, and its verdict, by the image's name.
 *
 * @param sample the image
 * @param rule for example {@code BA2009}
 * @param verdict {@code Pass}, {@code Fail} or {@code NotApplicable}
 * @param original the file's name at its origin
 */
public record FlagVerdict(PeSample sample, String rule, String verdict, String original) {
  private static final Pattern NAME = Pattern.compile("(BA\\d+)-(Pass|Fail|NotApplicable)-(.+)");

  /** All images of the group. */
  public static List<FlagVerdict> all() {
    return PeSamples.group("flags").stream().map(FlagVerdict::of).toList();
  }

  private static FlagVerdict of(PeSample sample) {
    Matcher name = NAME.matcher(sample.name());
    if (!name.matches()) {
      throw new IllegalArgumentException("not a verdict: " + sample.name());
    }
    return new FlagVerdict(sample, name.group(1), name.group(2), name.group(3));
  }
}
