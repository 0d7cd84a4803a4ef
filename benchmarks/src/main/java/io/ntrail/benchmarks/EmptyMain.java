package io.ntrail.benchmarks;

import java.net.URI;
import java.net.URL;
import java.nio.file.Path;

/** The floor of every start-up time: a program that does nothing. */
public final class EmptyMain {
  private EmptyMain() {}

  /** Does nothing. */
  public static void main(String[] args) {}

  /** Returns the folder or jar that this class was loaded from, for a class path. */
  public static String folder() {
    URL place = EmptyMain.class.getProtectionDomain().getCodeSource().getLocation();
    return Path.of(URI.create(place.toString())).toString();
  }
}
