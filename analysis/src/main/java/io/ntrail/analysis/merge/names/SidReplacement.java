package io.ntrail.analysis.merge.names;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Replaces SIDs of accounts, as bytes and as text: the numbers of the machine or domain and the
 * number of the account in it ({@code S-1-5-21-...}), and those of cloud accounts ({@code
 * S-1-12-1-...}). Each number has as many decimal digits as before. SIDs that every machine has,
 * and account numbers below 1000, stay. One thread.
 *
 * <p>Source: [MS-DTYP] 2.4.2, SID and its string syntax; well-known SIDs.
 */
final class SidReplacement {
  private static final int DOMAIN_NUMBERS = 3;
  private static final int CLOUD_NUMBERS = 4;
  private static final long FIRST_ACCOUNT = 1000;
  private static final long MOST = 0xFFFF_FFFFL;
  private static final int MOST_TRIALS = 10_000;

  /** Accounts that are remembered: more are a recording made up. */
  private static final int MOST_SIDS = 1 << 20;

  /** Bytes before the numbers: revision, count, authority, first number. */
  private static final int HEAD = 12;

  private static final String TEXT_HEAD = "S-1-";

  private final Pseudonyms pseudonyms;
  private final Map<String, long[]> known = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  SidReplacement(Pseudonyms pseudonyms) {
    this.pseudonyms = pseudonyms;
  }

  /** Returns the number of machines, domains and accounts so far. */
  int count() {
    return known.size();
  }

  /** Replaces the SIDs in some bytes. */
  void replace(byte[] data, int from, int to) {
    for (int at = from; at < to; at++) {
      byte first = data[at];
      if (first == 1) {
        binary(data, at, to);
      } else if (first == 'S' || first == 's') {
        text(data, at, from, to, 1);
        text(data, at, from, to, 2);
      }
    }
  }

  private void binary(byte[] data, int at, int to) {
    if (at + HEAD > to || data[at + 1] < DOMAIN_NUMBERS + 1 || data[at + 1] > 15) {
      return;
    }
    for (int i = 2; i < 7; i++) {
      if (data[at + i] != 0) {
        return;
      }
    }
    int count = data[at + 1] - 1;
    int numbers = replaced(data[at + 7], number(data, at + 8));
    if (numbers == 0 || count < numbers || at + HEAD + 4 * count > to) {
      return;
    }
    long[] old = new long[Math.min(count, CLOUD_NUMBERS)];
    for (int i = 0; i < old.length; i++) {
      old[i] = number(data, at + HEAD + 4 * i);
    }
    long[] now = of(old, numbers);
    for (int i = 0; i < old.length; i++) {
      for (int b = 0; b < 4; b++) {
        data[at + HEAD + 4 * i + b] = (byte) (now[i] >>> 8 * b);
      }
    }
  }

  /** Returns the number of numbers that make a machine, domain or account after a head; 0: none. */
  private static int replaced(long authority, long first) {
    return authority == 5 && first == 21
        ? DOMAIN_NUMBERS
        : authority == 12 && first == 1 ? CLOUD_NUMBERS : 0;
  }

  private static long number(byte[] data, int at) {
    long value = 0;
    for (int b = 3; b >= 0; b--) {
      value = value << 8 | data[at + b] & 0xFF;
    }
    return value;
  }

  /** Replaces a SID in text whose characters are so many bytes apart. */
  private void text(byte[] data, int start, int from, int to, int stride) {
    int at = start;
    for (int i = 0; i < TEXT_HEAD.length(); i++) {
      int unit = unit(data, at, from, to, stride);
      if (unit != TEXT_HEAD.charAt(i) && unit + 'A' - 'a' != TEXT_HEAD.charAt(i)) {
        return;
      }
      at += stride;
    }
    long authority = decimal(data, at, from, to, stride);
    at += stride * (digits(data, at, from, to, stride) + 1);
    long first = decimal(data, at, from, to, stride);
    int numbers = replaced(authority, first);
    at += stride * digits(data, at, from, to, stride);
    if (numbers == 0) {
      return;
    }
    int[] places = new int[CLOUD_NUMBERS];
    long[] values = new long[CLOUD_NUMBERS];
    int count = 0;
    while (count < CLOUD_NUMBERS && unit(data, at, from, to, stride) == '-') {
      int digits = digits(data, at + stride, from, to, stride);
      if (digits == 0) {
        break;
      }
      places[count] = at + stride;
      values[count] = decimal(data, at + stride, from, to, stride);
      at += stride * (digits + 1);
      count++;
    }
    if (count < numbers) {
      return;
    }
    long[] now = of(LongStream.of(values).limit(count).toArray(), numbers);
    for (int i = 0; i < count; i++) {
      String text = Long.toString(now[i]);
      for (int digit = 0; digit < text.length(); digit++) {
        data[places[i] + stride * digit] = (byte) text.charAt(digit);
      }
    }
  }

  /** Returns a character of ASCII; 0 if there is another or none. */
  private static int unit(byte[] data, int at, int from, int to, int stride) {
    if (at >= to
        || stride == 2 && !(at + 1 < to && data[at + 1] == 0 || at > from && data[at - 1] == 0)) {
      return 0;
    }
    return Math.max(0, data[at]);
  }

  private static int digits(byte[] data, int start, int from, int to, int stride) {
    int at = start;
    while (unit(data, at, from, to, stride) >= '0' && unit(data, at, from, to, stride) <= '9') {
      at += stride;
    }
    return Math.min((at - start) / stride, 10);
  }

  private static long decimal(byte[] data, int start, int from, int to, int stride) {
    long value = 0;
    int digits = digits(data, start, from, to, stride);
    for (int i = 0; i < digits; i++) {
      value = 10 * value + data[start + stride * i] - '0';
    }
    return value;
  }

  /** Returns the numbers that stand for others. */
  private long[] of(long[] old, int numbers) {
    long[] head = LongStream.of(old).limit(numbers).toArray();
    if (LongStream.of(head).allMatch(number -> number == 0)) {
      return old;
    }
    long[] out = old.clone();
    String key = "sid" + Arrays.toString(head);
    System.arraycopy(pseudonym(key, head, ""), 0, out, 0, numbers);
    if (old.length > numbers && old[numbers] >= FIRST_ACCOUNT) {
      long[] account = {old[numbers]};
      out[numbers] = pseudonym(key + account[0], account, key)[0];
    }
    return out;
  }

  private long[] pseudonym(String key, long[] old, String within) {
    long[] there = known.get(key);
    if (there != null) {
      return there;
    }
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
      byte[] random = pseudonyms.digest(key, trial);
      long[] candidate = new long[old.length];
      for (int i = 0; i < old.length; i++) {
        candidate[i] = sameDigits(old[i], number(random, 4 * i), old.length > 1);
      }
      boolean isOld = Arrays.equals(candidate, old);
      if (!isOld && used.add(within + Arrays.toString(candidate))) {
        if (known.size() >= MOST_SIDS) {
          break;
        }
        known.put(key, candidate);
        return candidate;
      }
    }
    throw new CannotGoOn(
        "there are more accounts in this recording than can be given pseudonyms",
        "cut a shorter part of it");
  }

  /** Returns a number with as many decimal digits as another. */
  private static long sameDigits(long old, long random, boolean hasZero) {
    long least = 1;
    while (least * 10 <= old) {
      least *= 10;
    }
    long first = old < 10 && hasZero ? 0 : least;
    long last = Math.min(least * 10 - 1, MOST);
    return first + random % (last - first + 1);
  }
}
