package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Choice of the members of an archive that are opened: by their names, then by their first bytes,
 * before the rest is inflated. A compressed file without members is chosen by its bytes alone.
 */
@FunctionalInterface
public interface MemberChoice {
  /** Number of bytes that decide, if a member has more. */
  int HEAD = 64 << 10;

  /** Number of bytes that decide where the first ones cannot. */
  int LONG_HEAD = (16 << 20) + (64 << 10);

  /**
   * Returns true if a member may be wanted. It is not called for a file that has no members, or is
   * a cabinet with a single one.
   *
   * @param lowerCaseName its name in lower case
   */
  boolean accepts(String lowerCaseName);

  /**
   * Decides by the beginning of a member, first by {@link #HEAD} bytes; one that has fewer is taken
   * as it is.
   *
   * @param head the first bytes, valid until this returns
   * @param isLast whether nothing longer can be asked for
   * @return true to inflate the rest; false to have up to {@link #LONG_HEAD} bytes first
   * @throws CannotGoOn if the member is not what is looked for
   */
  default boolean decide(InputFile head, boolean isLast) {
    return true;
  }

  /**
   * Makes a choice by names, and by a check.
   *
   * @param check throws {@link CannotGoOn} if the beginning is not that of what is looked for
   */
  static MemberChoice of(Predicate<String> names, Consumer<InputFile> check) {
    return new MemberChoice() {
      @Override
      public boolean accepts(String lowerCaseName) {
        return names.test(lowerCaseName);
      }

      @Override
      public boolean decide(InputFile head, boolean isLast) {
        check.accept(head);
        return true;
      }
    };
  }
}
