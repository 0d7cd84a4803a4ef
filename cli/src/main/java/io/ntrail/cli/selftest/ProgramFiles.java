package io.ntrail.cli.selftest;

import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import java.util.EnumMap;
import java.util.Map;

/** Files of the self-test's programs. */
final class ProgramFiles {
  /** Kind of a file. */
  enum Kind {
    /** The program for x64. */
    PROGRAM,
    /** A program as the first, marked as able to run with a shadow stack. */
    SHADOW_STACK,
    /** The library that it loads. */
    LIBRARY,
    /** A program for x86 that ends at once. */
    X86,
    /** A program for x86 that sleeps first. */
    SLEEPING_X86
  }

  private static final int SLEEP_MILLIS = 30_000;

  private final Map<Kind, byte[]> files = new EnumMap<>(Kind.class);

  private ProgramFiles() {}

  /** Makes them. */
  static ProgramFiles make() {
    ProgramFiles files = new ProgramFiles();
    files.files.put(Kind.PROGRAM, SelfTestProgram.file());
    files.files.put(Kind.SHADOW_STACK, SelfTestProgram.withShadowStack());
    files.files.put(Kind.LIBRARY, SelfTestImages.library());
    files.files.put(Kind.X86, SelfTestImages.x86(0));
    files.files.put(Kind.SLEEPING_X86, SelfTestImages.x86(SLEEP_MILLIS));
    return files;
  }

  /** Returns the same with another file. */
  ProgramFiles with(Kind kind, byte[] file) {
    ProgramFiles other = new ProgramFiles();
    other.files.putAll(files);
    other.files.put(kind, file.clone());
    return other;
  }

  /** Returns a file. */
  byte[] get(Kind kind) {
    return files.getOrDefault(kind, new byte[0]);
  }
}
