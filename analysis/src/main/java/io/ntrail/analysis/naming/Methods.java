package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Methods that a runtime compiled while the program ran, with their addresses, lifetimes and names.
 */
public final class Methods {
  /** Modules with paths, some hundred bytes each. */
  private static final int MOST_MODULES = 1 << 16;

  private static final long MOST_NAME_BYTES = 64L << 20;

  private final AddressRangeLifetimes lives = new AddressRangeLifetimes(Images.most());
  private final StringPool texts = new StringPool();
  private final Columns names = new Columns();
  private final LongColumn places = names.longs();

  /** Number of the module. */
  private final IntColumn modules = names.ints();

  /** Module by its id, which is one of a process. */
  private record ModuleKey(int process, long id) {
    // Written out: those that a record makes of itself at run time cost a start milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ModuleKey that && process == that.process && id == that.id;
    }

    @Override
    public int hashCode() {
      return 31 * process + Long.hashCode(id);
    }
  }

  private final Map<ModuleKey, Integer> moduleNumbers = new HashMap<>();
  private final Map<ModuleKey, String> modulePaths = new HashMap<>();
  private final List<ModuleKey> moduleKeys = new ArrayList<>();
  private long leftOut;

  public Methods() {}

  /**
   * Notes the path of a module.
   *
   * @param id of the module in its process
   */
  public void noteModule(int process, long id, String path) {
    if (modulePaths.size() < MOST_MODULES) {
      modulePaths.putIfAbsent(new ModuleKey(process, id), path);
    }
  }

  /** Returns whether paths of modules are still kept. */
  public boolean keepsModules() {
    return modulePaths.size() < MOST_MODULES;
  }

  /**
   * Returns the number of a new name; -1 if there is no room for it.
   *
   * @param module id of the module that the method was compiled of
   */
  public int name(int process, long module, String name) {
    long place = texts.bytes() > MOST_NAME_BYTES ? -1 : texts.add(name);
    if (place < 0) {
      leftOut++;
      return -1;
    }
    return add(place, new ModuleKey(process, module));
  }

  /**
   * Notes that the code of a method is there, or no longer.
   *
   * @param kind one of those of {@link Lifetimes}
   * @param name number of its name; -1 if not recorded
   */
  public void note(int process, long address, long size, long key, byte kind, int name) {
    lives.note(process, address, size, key, kind, name);
  }

  private int add(long place, ModuleKey module) {
    int row = names.add();
    places.set(row, place);
    modules.set(
        row,
        moduleNumbers.computeIfAbsent(
            module,
            key -> {
              moduleKeys.add(key);
              return moduleKeys.size() - 1;
            }));
    return row;
  }

  public void addAll(Methods other) {
    int[] newNames = new int[other.names.rows()];
    for (int i = 0; i < newNames.length; i++) {
      long place = texts.add(other.texts.at(other.places.get(i)));
      newNames[i] = place < 0 ? -1 : add(place, other.moduleKeys.get(other.modules.get(i)));
    }
    lives.addAll(other.lives, newNames);
    other.modulePaths.forEach(modulePaths::putIfAbsent);
    leftOut += other.leftOut;
  }

  public void settle(Lifetimes processes) {
    lives.settle(processes, (a, b) -> name(a).compareTo(name(b)));
  }

  AddressRangeLifetimes lives() {
    return lives;
  }

  /** Returns the name of a method: class and method, without its signature. */
  String name(int number) {
    return texts.at(places.get(number));
  }

  /** Returns the path of the module that a method was compiled of; null if unknown. */
  @Nullable String module(int number) {
    return modulePaths.get(moduleKeys.get(modules.get(number)));
  }

  /**
   * Code of a method.
   *
   * @param pid process
   * @param name class and method; null if not recorded
   * @param module path of its module; null if unknown
   * @param from time; {@link Long#MIN_VALUE} if it is before the recording
   * @param to time, at the latest the end of the process; {@link Long#MAX_VALUE} if not recorded
   */
  public record Compiled(
      int pid,
      long address,
      long size,
      @Nullable String name,
      @Nullable String module,
      long from,
      long to) {}

  /** Passes the code of all methods to a receiver. */
  public void forEach(Consumer<Compiled> sink) {
    for (int life = 0; life < lives.count(); life++) {
      int name = lives.value(life);
      sink.accept(
          new Compiled(
              lives.pid(life),
              lives.base(life),
              lives.size(life),
              name < 0 ? null : name(name),
              name < 0 ? null : module(name),
              lives.from(life),
              lives.to(life)));
    }
  }

  /** Returns how often a method was compiled, or found compiled. */
  public int count() {
    return lives.count();
  }

  public long leftOut() {
    return lives.leftOut() + leftOut;
  }
}
