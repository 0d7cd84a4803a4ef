package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * The sites of a chunk and which one followed which context: the model of docs/ntr.md section 6
 * that writer and reader share. Site 0 is the unknown one.
 */
final class SiteTable {
  private static final long[] NONE = {};

  /**
   * A site, and what it remembers; used again for another one in the next chunk. An object rather
   * than a row of {@link io.ntrail.formats.collections.Columns}, because every event reads several
   * of its properties.
   */
  static final class Site {
    long function;
    long returnAddress;
    long keyStep;
    int slotStep;
    int shape;

    /** The last value returned, and the last other one. */
    long last;

    long second;
    private long[] arguments = NONE;
    private long[] exitValues = NONE;

    private Site() {}

    /** Returns the last arguments, at least {@code n} of them. */
    long[] arguments(int n) {
      if (arguments.length < n) {
        arguments = Arrays.copyOf(arguments, n);
      }
      return arguments;
    }

    /** Returns the last further values of exits, at least {@code n} of them. */
    long[] exitValues(int n) {
      if (exitValues.length < n) {
        exitValues = Arrays.copyOf(exitValues, n);
      }
      return exitValues;
    }

    /** Remembers a returned value. */
    void returned(long value) {
      long before = last;
      long difference = before ^ value;
      // Without a branch: nothing predicts it.
      long isNew = (difference | -difference) >> 63;
      second = before & isNew | second & ~isNew;
      last = value;
    }

    private void forget() {
      last = 0;
      second = 0;
      arguments = NONE;
      exitValues = NONE;
    }
  }

  int count = 1;

  /** For each context the site that followed it, 0 if none did. */
  int[] following = new int[128];

  private Site[] sites = more(new Site[0], 64);

  SiteTable() {}

  private static Site[] more(Site[] had, int length) {
    Site[] sites = Arrays.copyOf(had, length);
    for (int i = had.length; i < length; i++) {
      sites[i] = new Site();
    }
    return sites;
  }

  /** Returns a site, by its number. */
  Site at(int site) {
    return sites[site];
  }

  /** Forgets all of them; site 0 remembers nothing. */
  void clear() {
    Arrays.fill(following, 0, 2 * count, 0);
    for (int i = 0; i < count; i++) {
      sites[i].forget();
    }
    count = 1;
  }

  /** Defines the next site; it remembers nothing yet. */
  int define(long function, long returnAddress, long keyStep, int slotStep, int shape) {
    if (count == sites.length) {
      sites = more(sites, Growth.length(count, count + 1));
      following = Arrays.copyOf(following, 2 * sites.length);
    }
    Site site = sites[count];
    site.function = function;
    site.returnAddress = returnAddress;
    site.keyStep = keyStep;
    site.slotStep = slotStep;
    site.shape = shape;
    return count++;
  }
}
