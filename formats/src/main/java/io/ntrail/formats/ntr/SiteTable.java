package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.ObjectColumn;
import java.util.Arrays;

/**
 * The sites of a chunk and which one followed which context: the model of docs/ntr.md section 6
 * that writer and reader share. Site 0 is the unknown one.
 */
final class SiteTable {
  private static final long[] NONE = {};

  private final Columns sites = new Columns(64);
  final LongColumn function = sites.longs();
  final LongColumn returnAddress = sites.longs();
  final LongColumn keyStep = sites.longs();
  final IntColumn slotStep = sites.ints();
  final IntColumn shape = sites.ints();
  final LongColumn last = sites.longs();
  final LongColumn second = sites.longs();
  private final ObjectColumn<long[]> arguments = sites.objects();
  private final ObjectColumn<long[]> exitValues = sites.objects();

  private final Columns contexts = new Columns(128);

  /** For each context, two of each site, the site that followed it; 0 if none did. */
  final IntColumn following = contexts.ints();

  SiteTable() {
    define(0, 0, 0, 0, 0);
  }

  /** Returns the number of sites, the unknown one included. */
  int count() {
    return sites.rows();
  }

  /** Forgets all of them; site 0 remembers nothing. */
  void clear() {
    sites.clear();
    contexts.clear();
    define(0, 0, 0, 0, 0);
  }

  /** Defines the next site; it remembers nothing yet. */
  int define(long newFunction, long newReturnAddress, long step, int newSlotStep, int newShape) {
    int site = sites.add();
    function.set(site, newFunction);
    returnAddress.set(site, newReturnAddress);
    keyStep.set(site, step);
    slotStep.set(site, newSlotStep);
    shape.set(site, newShape);
    last.set(site, 0);
    second.set(site, 0);
    arguments.set(site, NONE);
    exitValues.set(site, NONE);
    following.set(contexts.add(), 0);
    following.set(contexts.add(), 0);
    return site;
  }

  /** Returns the last arguments of a site, at least {@code n} of them. */
  long[] arguments(int site, int n) {
    return remembered(arguments, site, n);
  }

  /** Returns the last further values of a site's exits, at least {@code n} of them. */
  long[] exitValues(int site, int n) {
    return remembered(exitValues, site, n);
  }

  private static long[] remembered(ObjectColumn<long[]> of, int site, int n) {
    long[] known = of.get(site);
    if (known.length < n) {
      known = Arrays.copyOf(known, n);
      of.set(site, known);
    }
    return known;
  }

  /** Remembers a returned value. */
  void returned(int site, long value) {
    if (last.get(site) != value) {
      second.set(site, last.get(site));
      last.set(site, value);
    }
  }
}
