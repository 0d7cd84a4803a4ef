package io.ntrail.analysis.naming;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of which any may fit; none lets everything through. Remembers which of them never fitted
 * anything, because a wrong word gives a wrong answer. One thread at a time.
 */
public final class PatternSet {
  /** Characters of a word that is taken for a part of a name. */
  private static final int SHORTEST_PART = 3;

  /** Process or thread id of which nothing is known. */
  private static final int NO_ID = -1;

  /** The last answers: nearly every record asks, about few processes and threads. */
  private static final class Answers {
    private static final int SIZE = 1 << 9;

    private final boolean[] known = new boolean[SIZE];
    private final int[] ids = new int[SIZE];
    private final @Nullable String[] names = new String[SIZE];
    private final boolean[] fits = new boolean[SIZE];

    static int place(int id, @Nullable String name) {
      // Ids of processes and threads are multiples of 4.
      return (id >>> 2) + (name == null ? 0 : name.hashCode()) & SIZE - 1;
    }

    boolean has(int place, int id, @Nullable String name) {
      return known[place] && ids[place] == id && Objects.equals(names[place], name);
    }

    void put(int place, int id, @Nullable String name, boolean answer) {
      known[place] = true;
      ids[place] = id;
      names[place] = name;
      fits[place] = answer;
    }
  }

  private final List<NamePattern> patterns;

  /** True if any pattern is more than the number of an id. */
  private final boolean asksNames;

  private final BitSet fitting = new BitSet();

  private final Answers ofProcesses = new Answers();
  private final Answers ofThreads = new Answers();
  private boolean asked;

  /** Creates the set of some patterns. */
  public PatternSet(List<NamePattern> patterns) {
    this.patterns = List.copyOf(patterns);
    this.asksNames =
        patterns.stream().anyMatch(one -> !one.toString().chars().allMatch(Character::isDigit));
  }

  /** Returns a set of the same patterns that has seen nothing, for another thread. */
  public PatternSet copy() {
    return new PatternSet(patterns);
  }

  /** Adds to what it has seen what a copy of it has. */
  public void addSeen(PatternSet copy) {
    fitting.or(copy.fitting);
    asked |= copy.asked;
  }

  /** Returns whether it lets everything through. */
  public boolean isEmpty() {
    return patterns.isEmpty();
  }

  /** Returns whether any pattern fits, or there is none; and notes which ones do. */
  public boolean fit(Predicate<NamePattern> fits) {
    asked = true;
    boolean any = patterns.isEmpty();
    for (int i = 0; i < patterns.size(); i++) {
      if ((!any || !fitting.get(i)) && fits.test(patterns.get(i))) {
        any = true;
        fitting.set(i);
      }
    }
    return any;
  }

  /** Returns whether a process is meant, by its id or the name of its image. */
  public boolean fitProcess(int id, @Nullable String image) {
    if (patterns.isEmpty()) {
      return true;
    }
    asked = true;
    if (id == NO_ID) {
      return false;
    }
    int place = Answers.place(id, image);
    if (!ofProcesses.has(place, id, image)) {
      String number = Integer.toUnsignedString(id);
      boolean fits =
          fit(pattern -> pattern.matches(number) || image != null && pattern.meansProgram(image));
      ofProcesses.put(place, id, image, fits);
    }
    return ofProcesses.fits[place];
  }

  /**
   * Returns whether the process of a thread may be meant though it fits nothing: if the recording
   * does not tell which it is, or what it is called and that was asked for. What belongs to no
   * thread and no process has none.
   */
  public boolean mayMeanProcess(int id, @Nullable String image, int thread) {
    return id == NO_ID ? thread != NO_ID : image == null && asksNames;
  }

  /**
   * Returns whether a thread is meant, by its id or its name.
   *
   * @param name null if it has none
   */
  public boolean fitThread(int id, @Nullable String name) {
    if (patterns.isEmpty()) {
      return true;
    }
    asked = true;
    if (id == NO_ID) {
      return false;
    }
    int place = Answers.place(id, name);
    if (!ofThreads.has(place, id, name)) {
      String number = Integer.toUnsignedString(id);
      boolean fits = fit(pattern -> pattern.matches(number) || pattern.matches(name));
      ofThreads.put(place, id, name, fits);
    }
    return ofThreads.fits[place];
  }

  /**
   * Returns the names of processes that never fitted anything.
   *
   * @param images names of the images of all processes
   */
  public List<UnmatchedTerm> unmatchedProcesses(Set<String> images) {
    if (!asked) {
      return List.of();
    }
    Set<String> names = new TreeSet<>(images);
    for (String name : images) {
      names.add(name.replaceFirst("(?i)\\.exe$", ""));
    }
    return unmatched(UnmatchedTerm.What.PROCESS, names);
  }

  /** Returns the ids and names of threads that never fitted anything. */
  public List<UnmatchedTerm> unmatchedThreads() {
    return asked ? unmatched(UnmatchedTerm.What.THREAD, List.of()) : List.of();
  }

  /** Returns the patterns that never fitted anything, each with the nearest of some names. */
  public List<UnmatchedTerm> unmatched(UnmatchedTerm.What what, Collection<String> names) {
    List<UnmatchedTerm> result = new ArrayList<>();
    for (int i = fitting.nextClearBit(0); i < patterns.size(); i = fitting.nextClearBit(i + 1)) {
      NamePattern pattern = patterns.get(i);
      result.add(
          isPart(what, pattern, names)
              ? new UnmatchedTerm(what, pattern.toString(), "*" + pattern + "*")
              : UnmatchedTerm.of(what, pattern.toString(), names));
    }
    return result;
  }

  /** Returns whether a word is a part of names of functions, which are long: the name is meant. */
  private static boolean isPart(
      UnmatchedTerm.What what, NamePattern pattern, Collection<String> names) {
    boolean isFunction = what == UnmatchedTerm.What.FUNCTION || what == UnmatchedTerm.What.RULE;
    String part = pattern.toString().toLowerCase(Locale.ROOT);
    return isFunction
        && pattern.isPlain()
        && part.length() >= SHORTEST_PART
        && names.stream().anyMatch(name -> name.toLowerCase(Locale.ROOT).contains(part));
  }
}
