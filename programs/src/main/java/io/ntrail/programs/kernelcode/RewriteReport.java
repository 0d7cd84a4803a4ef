package io.ntrail.programs.kernelcode;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Numbers of sites of an image by form and outcome. */
public final class RewriteReport {
  private final Map<SiteForm, Map<SiteOutcome, Long>> counts = new EnumMap<>(SiteForm.class);
  private final long unread;

  RewriteReport(List<CodeSite> sites, long unread) {
    this.unread = unread;
    for (CodeSite site : sites) {
      counts
          .computeIfAbsent(site.form(), _ -> new EnumMap<>(SiteOutcome.class))
          .merge(site.outcome(), 1L, Long::sum);
    }
  }

  /**
   * Sites that have a form and an outcome in common.
   *
   * @param count how many, from 1
   */
  public record Group(SiteForm form, SiteOutcome outcome, long count) {}

  /** Returns the groups that have sites, by form and outcome. */
  public List<Group> groups() {
    return counts.entrySet().stream()
        .flatMap(form ->
            form.getValue().entrySet().stream()
                .map(group -> new Group(form.getKey(), group.getKey(), group.getValue())))
        .toList();
  }

  /** Returns the number of sites of a form and an outcome. */
  public long count(SiteForm form, SiteOutcome outcome) {
    return counts.getOrDefault(form, Map.of()).getOrDefault(outcome, 0L);
  }

  /** Returns the number of sites with an outcome. */
  public long count(SiteOutcome outcome) {
    return counts.values().stream().mapToLong(of -> of.getOrDefault(outcome, 0L)).sum();
  }

  /** Returns the number of sites whose bytes differ from those of the file. */
  public long rewritten() {
    return groups().stream()
        .filter(group -> group.outcome().isRewritten())
        .mapToLong(Group::count)
        .sum();
  }

  /** Returns the number of sites whose record and image contradict each other. */
  public long damaged() {
    return groups().stream()
        .filter(group -> group.outcome().isDamage())
        .mapToLong(Group::count)
        .sum();
  }

  /**
   * Returns the number of records that were not read, as there are absurdly many; their sites are
   * as in the file.
   */
  public long unread() {
    return unread;
  }
}
