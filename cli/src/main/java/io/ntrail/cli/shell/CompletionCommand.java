package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code ntrail completion SHELL}: a script that completes commands, options and files; with {@code
 * --man} the manual pages.
 */
final class CompletionCommand implements Command {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish", "powershell");

  /** Label of an option that lists its values: {@code self|incl}. */
  private static final Pattern CHOICE = Pattern.compile("[a-z0-9]+(\\|[a-z0-9]+)+");

  CompletionCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec =
        CommonOptions.command("completion", "A shell completion script, or the manual pages.");
    spec.addOption(
        CommonOptions.value("DIR", "write the manual pages for man into a folder", "--man"));
    spec.addPositional(CommonOptions.words("SHELL", "bash, zsh, fish or powershell", SHELLS));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) throws IOException {
    List<String> words = CommonOptions.positionals(parsed);
    if (CommonOptions.has(parsed, "--man") && words.isEmpty()) {
      ManualPages.write(CommonOptions.path(CommonOptions.text(parsed, "--man", "")), terminal);
      return ExitCode.DONE;
    }
    if (words.size() != 1 || !SHELLS.contains(words.getFirst())) {
      throw new UsageError(
          "completion needs a shell: " + String.join(", ", SHELLS), "ntrail completion bash");
    }
    String script =
        switch (words.getFirst()) {
          case "bash" -> bash();
          case "zsh" -> "#compdef ntrail\nautoload -U +X bashcompinit && bashcompinit\n" + bash();
          case "fish" -> fish();
          default -> powershell();
        };
    terminal.out().print(script);
    return ExitCode.DONE;
  }

  private static List<String> options(Commands.Entry entry) {
    TreeSet<String> names = new TreeSet<>(List.of("-h", "--help"));
    for (OptionSpec option : entry.make().get().spec().options()) {
      names.addAll(Arrays.asList(option.names()));
    }
    return new ArrayList<>(names);
  }

  private static String names() {
    return Commands.listed().stream().map(Commands.Entry::name).collect(Collectors.joining(" "));
  }

  /** Returns the values of arguments that are not options; empty: files. */
  private static List<String> words(CommandSpec spec) {
    List<String> words = new ArrayList<>();
    for (PositionalParamSpec positional : spec.positionalParameters()) {
      words.addAll(values(positional));
    }
    return words;
  }

  private static List<String> values(ArgSpec spec) {
    List<String> values = new ArrayList<>();
    Iterable<String> candidates = spec.completionCandidates();
    if (candidates != null) {
      candidates.forEach(values::add);
    } else if (CHOICE.matcher(spec.paramLabel()).matches()) {
      values.addAll(List.of(spec.paramLabel().split("\\|", -1)));
    }
    return values;
  }

  /** The options of all commands whose values are known: {@code profile:--by} and its values. */
  private static Map<String, List<String>> values() {
    Map<String, List<String>> values = new TreeMap<>();
    for (Commands.Entry entry : Commands.listed()) {
      for (OptionSpec option : entry.make().get().spec().options()) {
        if (!values(option).isEmpty()) {
          for (String name : option.names()) {
            values.put(entry.name() + ":" + name, values(option));
          }
        }
      }
    }
    return values;
  }

  private static String bash() {
    StringBuilder cases = new StringBuilder();
    for (Commands.Entry entry : Commands.listed()) {
      cases
          .append("    ")
          .append(entry.name())
          .append(") options=\"")
          .append(String.join(" ", options(entry)))
          .append("\" words=\"")
          .append(String.join(" ", words(entry.make().get().spec())))
          .append("\" ;;\n");
    }
    StringBuilder values = new StringBuilder();
    values()
        .forEach((name, known) ->
            values
                .append("    ")
                .append(name)
                .append(") COMPREPLY=($(compgen -W \"")
                .append(String.join(" ", known))
                .append("\" -- \"$word\")); return ;;\n"));
    return """
    _ntrail() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words=
      if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "%s --version --help" -- "$word"))
        return
      fi
      if [ "$before" = "=" ]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
      elif [ "$word" = "=" ]; then
        word=
      fi
      case ${COMP_WORDS[1]}:$before in
    %s  esac
      case ${COMP_WORDS[1]} in
    %s  esac
      if [ "${word:0:1}" = "-" ]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
      elif [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      else
        local IFS=$'\\n'
        COMPREPLY=($(compgen -f -- "$word"))
      fi
    }
    complete -o filenames -F _ntrail ntrail ./ntrail
    """
        .formatted(names(), values, cases);
  }

  private static String fish() {
    StringBuilder script = new StringBuilder();
    for (Commands.Entry entry : Commands.listed()) {
      CommandSpec spec = entry.make().get().spec();
      String seen = "complete -c ntrail -n '__fish_seen_subcommand_from " + entry.name() + "'";
      script
          .append("complete -c ntrail -n __fish_use_subcommand -f -a ")
          .append(entry.name())
          .append(" -d '")
          .append(entry.purpose())
          .append("'\n");
      if (!words(spec).isEmpty()) {
        script.append(seen).append(" -f -a '").append(String.join(" ", words(spec))).append("'\n");
      }
      for (OptionSpec option : spec.options()) {
        script.append(seen);
        for (String name : option.names()) {
          script.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceAll("^-+", ""));
        }
        if (!values(option).isEmpty()) {
          script.append(" -x -a '").append(String.join(" ", values(option))).append('\'');
        } else if (option.arity().max() > 0) {
          script.append(" -r");
        }
        script.append(" -d '").append(String.join(" ", option.description()).replace("'", "\\'"));
        script.append("'\n");
      }
    }
    return script.toString();
  }

  private static String powershell() {
    StringBuilder table = new StringBuilder();
    for (Commands.Entry entry : Commands.listed()) {
      table
          .append("    '")
          .append(entry.name())
          .append("' = '")
          .append(String.join(" ", options(entry)))
          .append("'\n");
    }
    StringBuilder known = new StringBuilder();
    values()
        .forEach((name, words) ->
            known
                .append("    '")
                .append(name)
                .append("' = '")
                .append(String.join(" ", words))
                .append("'\n"));
    return """
    Register-ArgumentCompleter -Native -CommandName ntrail -ScriptBlock {
      param($word, $line, $cursor)
      $options = @{
    %s  }
      $values = @{
    %s  }
      $words = @($line.CommandElements | ForEach-Object { $_.ToString() })
      $before = $words[$(if ($word) { -2 } else { -1 })]
      if ($words.Count -gt 2 -and $values.ContainsKey("$($words[1]):$before")) {
        $values["$($words[1]):$before"] -split ' ' | Where-Object { $_ -like "$word*" }
      } elseif ($words.Count -le 2 -and -not $options.ContainsKey([string]$words[1])) {
        $options.Keys | Where-Object { $_ -like "$word*" } | Sort-Object
      } else {
        $options[[string]$words[1]] -split ' ' | Where-Object { $_ -like "$word*" }
      }
    }
    """
        .formatted(table, known);
  }
}
