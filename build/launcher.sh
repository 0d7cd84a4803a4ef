# What ./ntrail does when its stamp does not cover what is there: find out what changed, build what
# has to be built, and lay out what runs. Sourced with root and dist set by ./ntrail, which calls
# prepare, and by ./check, which holds the lock while it builds and then calls lay_out.
#
# What runs lies in cli/target/dist:
#   DIGEST/*.jar             the jars, their names without versions
#   DIGEST/current/*.jar     those of them with classes too old for the AOT cache, in today's format
#   DIGEST/ntrail-DIGEST-KIND.aot   the AOT caches trained with exactly these jars; KIND is all, or
#                            the command that the cache is for (info: and events), see decisions/0051
#   DIGEST/answers/*.txt     what --version and -h answer, see answers
#   DIGEST/agent/*.exe       programs that run beside a target, as these jars assemble them
#   run                      shell variables: which digest, jars, flags and JDK; also the stamp
#
# DIGEST is over the content of all jars, the version string of the JVM and the flags it runs with.
# JDK 25 does not notice that a jar has changed since its AOT cache was trained, and runs the old
# classes (JDK-8377932): so a cache never shares a folder with other jars than its own. A folder is
# complete before `run` names it, and the one before stays, because a program that is still running
# may not have opened all of its jars yet.

run_version=7
all_caches='trace stacks info long-info profile long-profile image symbols calls all'
launcher_flags='-XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -Xlog:disable -Xlog:all=error,aot*=off,cds*=off:stderr --enable-native-access=ALL-UNNAMED'

# In the practice of what is long, only what is still hot in what is ten times as long is compiled by the slow
# compiler, so that such a run, which compiles the same at once, compiles no more than that.
long_training='-XX:Tier4InvocationThreshold=40000 -XX:Tier4MinInvocationThreshold=2000
  -XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=160000 -XX:FreqInlineSize=90'

# give_up CODE: ends the start with what was printed on stderr.
give_up() {
  [ -z "${lock-}" ] || rm -rf "$lock"
  exit "$1"
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$@"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$@"
  else
    openssl dgst -sha256 -r "$@"
  fi
}

# The modules whose sources make the program: all but those for tests, measurements and checks.
source_folders() (
  cd "$root" || exit
  for pom in */pom.xml; do
    case ${pom%/pom.xml} in
      testkit | benchmarks | lint) ;;
      *)
        echo "$pom"
        [ ! -d "${pom%/pom.xml}/src/main" ] || echo "${pom%/pom.xml}/src/main"
        ;;
    esac
  done
  echo pom.xml
  echo .mvn
)

# sources_digest: one word for the content of everything the program is built from.
sources_digest() (
  cd "$root" || exit
  # The names come from our own tree and hold no blanks.
  find $(source_folders) -type f -exec cat {} + -print | sha256 | cut -c1-32
)

# jars_digest FOLDER|"" : one word for the JVM, the flags and the jars: those in FOLDER, or those the
# build made.
jars_digest() {
  {
    echo "$jvm $launcher_flags"
    if [ -n "$1" ]; then
      for jar in "$1"/*.jar; do
        printf '%s\n' "$jar"
      done
    else
      built_jars
    fi | while IFS= read -r jar; do
      echo "${jar##*/} $(sha256 <"$jar")"
    done | LC_ALL=C sort
  } | sha256 | cut -c1-32
}

# built_jars: the jars of the last build, by name. A module's own target folder goes before the copy
# beside the program, so that a jar built by hand counts.
built_jars() {
  for jar in "$root"/cli/target/lib/*.jar "$root"/cli/target/ntrail-cli.jar; do
    name=${jar##*/}
    module=${name#ntrail-}
    module=$root/${module%.jar}
    if [ "$name" != "${name#ntrail-}" ] && [ -f "$module/target/$name" ]; then
      jar=$module/target/$name
    fi
    [ ! -f "$jar" ] || printf '%s\n' "$jar"
  done
}

# The lock is a file that only one process can create; in it the owner, "PID HOST NAME WORDS": others say
# that they wait for NAME and, in these words, for what.

# take_lock "NAME WORDS" [OTHERWISE]: waits until the lock is ours, and says on stderr what it waits for.
# Returns 1 if nothing can be written here, and 2 as soon as the command OTHERWISE, which gets the owner
# and is asked again whenever the owner changes, finds that the lock is not needed.
take_lock() {
  mkdir -p "$root/target" 2>/dev/null
  lock=$root/target/launcher.lock
  nameless=0 failures=0 waited=
  until (set -C && echo "$$ $(uname -n) $1" >"$lock") 2>/dev/null; do
    [ -e "$lock" ] || failures=$((failures + 1))
    if [ ! -w "$root/target" ] || [ $failures -ge 50 ]; then
      lock=
      return 1
    fi
    owner=$(cat "$lock" 2>/dev/null) || owner=
    if [ -n "$owner" ] && [ "$owner" != "$waited" ] && [ -n "${2-}" ] && $2 "$owner"; then
      lock=
      return 2
    fi
    if [ -n "${NTRAIL_BUILDING-}" ]; then
      lock=
      echo "ntrail: started from inside the build of $root, which has not laid out the program yet" >&2
      exit 1
    fi
    # Without a name it was created a moment ago, or its owner died at that moment.
    if [ -n "$owner" ]; then nameless=0; else nameless=$((nameless + 1)); fi
    if [ $nameless -ge 50 ] || is_gone "$owner"; then
      break_lock "$owner"
      # Nameless again and again: a full disk.
      [ -n "$owner" ] || failures=$((failures + 25))
      nameless=0
      continue
    fi
    [ -z "$owner" ] || [ "$owner" = "$waited" ] || {
      words=${owner#* * }
      echo "ntrail: waiting for ${words%% *} in $root (process ${owner%% *}) ${words#* } ..." >&2
      waited=$owner
    }
    sleep 0.2 2>/dev/null || sleep 1
  done
  export NTRAIL_BUILDING=$$
  trap 'give_up 130' INT
  trap 'give_up 143' TERM HUP
  trap 'rm -rf "$lock"' EXIT
}

# now_doing "NAME WORDS": tells those who wait something else. The lock stays ours.
now_doing() {
  echo "$$ $(uname -n) $1" >"$lock.$$" && mv "$lock.$$" "$lock"
}

# is_gone OWNER: its process ran on this machine and runs no more.
is_gone() {
  [ -n "$1" ] || return 1
  host=${1#* }
  [ "${host%% *}" = "$(uname -n)" ] && ! kill -0 "${1%% *}" 2>/dev/null &&
    ! ps -p "${1%% *}" >/dev/null 2>&1
}

# break_lock OWNER: removes the lock of an owner that is gone. Several starts may find it at once, and
# the slower must not remove the lock that the faster has taken since: so only who holds the right to
# break this owner's lock removes it, and looks again before.
break_lock() {
  right=$root/target/launcher.break.${1%% *}
  if mkdir "$right" 2>/dev/null; then
    [ "$(cat "$lock" 2>/dev/null)" != "$1" ] || rm -rf "$lock"
    rmdir "$right" 2>/dev/null
    blocked=0
  else
    blocked=$((${blocked-0} + 1))
    sleep 0.1 2>/dev/null || sleep 1
    # Nobody needs that long: the holder of the right was killed.
    [ $blocked -lt 300 ] || rmdir "$right" 2>/dev/null || :
  fi
}

free_lock() {
  rm -rf "$lock"
  lock=
  unset NTRAIL_BUILDING
  trap - INT TERM HUP EXIT
}

# build: the jars of the program, without tests and without the checks of the compiler.
build() {
  [ -n "${jdk_build-}" ] || {
    jdk_run=$jdk jvm_run=$jvm
    if ! find_jdk javac; then
      no_jdk >&2
      give_up 4
    fi
    jdk_build=$jdk jdk=$jdk_run jvm=$jvm_run
  }
  if ! command -v mvn >/dev/null 2>&1; then
    echo "ntrail: building needs Maven 3.8.7 or newer, and there is no mvn on the PATH" >&2
    case $(uname -s) in
      Darwin) echo "try: brew install maven" >&2 ;;
      *) echo "try: install the package maven of your system, then start ntrail again" >&2 ;;
    esac
    give_up 4
  fi
  if [ -e "$root/cli/target/lib" ]; then
    echo "building ntrail (sources have changed) ..." >&2
  else
    echo "building ntrail (first run takes a minute) ..." >&2
  fi
  log=$root/target/launcher-build.log
  if ! run_maven -o; then
    if grep -q -i -e 'offline' -e 'has not been downloaded' "$log" && run_maven; then
      return
    fi
    grep -v '^WARNING' "$log" | head -n 60 >&2
    echo "ntrail: the build failed (all of its output is in $log)" >&2
    give_up 1
  fi
}

run_maven() (
  cd "$root" && JAVA_HOME=$jdk_build \
    MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow ${MAVEN_OPTS-}" \
    mvn -q -B "$@" -Dmaven.test.skip=true -Dstyle.color=never -pl cli -am package \
    >"$log" 2>&1 </dev/null
)

# renew_classes FOLDER: picocli's jar with its classes in the format of today. Without it the start is
# only slower.
renew_classes() {
  [ -f "$root/build/CurrentClasses.java" ] && mkdir "$1/current" || return 0
  "$jdk/bin/java" "$root/build/CurrentClasses.java" "$1/picocli.jar" "$1/current/picocli.jar" \
    >/dev/null 2>&1 </dev/null || rm -rf "$1/current"
}

# train FOLDER DIGEST: the AOT caches, by runs of the program itself over the samples. Sets run_caches,
# the kinds there are; the program starts without those that failed. The JVM lets all jars move together
# afterwards, if the class path that it was trained with was absolute.
train() {
  no_caches
  rm -f "$1"/*.aot
  # Two at once: each is one thread most of the time.
  beside=
  for kind in $all_caches; do
    if [ -z "$beside" ]; then
      train_one "$1" "$2" "$kind" &
      beside=$kind
    else
      train_one "$1" "$2" "$kind" || :
      wait
      beside=
    fi
  done
  wait
  for kind in $all_caches; do
    # Now and then the JVM writes none; alone and the second time it does.
    [ -s "$1/ntrail-$2-$kind.aot" ] || train_one "$1" "$2" "$kind" || :
    [ ! -s "$1/ntrail-$2-$kind.aot" ] || run_caches="$run_caches $kind"
  done
  rm -f "$1"/train-*
}

# no_caches: the program starts without.
no_caches() {
  run_caches=
}

# train_one FOLDER DIGEST KIND: one AOT cache.
train_one() (
  train_kind=$3 train_cache=$1/ntrail-$2-$3.aot samples=$root/samples
  train_boot=$(boot_path_of "$1") train_class_path=$(class_path_of "$1")
  cd "$1" || exit
  case $3 in
    trace | image) set -- "$samples"/*.exe "$samples"/*.dll ;;
    stacks) set -- "$samples"/*.dmp ;;
    info | profile | long-*) set -- "$samples"/shop.etl "$samples"/busy.etl ;;
    symbols) set -- "$samples"/*.pdb ;;
    calls) set -- "$samples"/*.ntr "$samples"/*.jtrc ;;
    *)
      set -- "$samples"/*.exe "$samples"/*.dll "$samples"/*.dmp "$samples"/shop.etl "$samples"/*.pdb \
        "$samples"/*.ntr "$samples"/*.jtrc
      ;;
  esac
  [ "$train_kind" = all ] || set -- --for "$train_kind" "$@"
  # The code that a cache keeps, of calls between compiled and other code, is used with the collector of the training:
  # the one that most starts with this cache have, see ./ntrail.
  train_flags=-XX:+UseSerialGC
  case $train_kind in long-*) train_flags="-XX:+UseParallelGC $long_training" ;; esac
  # A second one beside that of the environment would be refused.
  case "${JDK_JAVA_OPTIONS-} ${JAVA_TOOL_OPTIONS-} ${_JAVA_OPTIONS-}" in
    *-XX:+Use*GC*) train_flags=${train_flags#-XX:+Use*GC} ;;
  esac
  "$jdk/bin/java" ${train_boot:+"$train_boot"} $launcher_flags $train_flags \
    -XX:AOTCacheOutput="train-$train_kind.aot" -Dntrail.aot="$train_cache" -cp "$train_class_path" \
    io.ntrail.cli.Main warm "$@" >"train-$train_kind.log" 2>&1 </dev/null &&
    [ -s "train-$train_kind.aot" ] && mv "train-$train_kind.aot" "$train_cache"
)

# answers FOLDER TO: what the program answers at every start, such as its version, in the folder TO,
# for ./ntrail to print. Returns 1 without them: then the program answers.
answers() {
  rm -rf "$2"
  answers_boot=$(boot_path_of "$1")
  "$jdk/bin/java" ${answers_boot:+"$answers_boot"} $launcher_flags -cp "$(class_path_of "$1")" \
    io.ntrail.cli.Main warm --answers "$2.new" >/dev/null 2>&1 </dev/null && mv "$2.new" "$2" && return
  rm -rf "$2.new"
  return 1
}

# trained FOLDER DIGEST: the JVM accepts the caches that are there. It does not after a copy that gave
# the jars new times.
trained() {
  for kind in $all_caches; do
    trained_boot=$(boot_path_of "$1")
    [ -s "$1/ntrail-$2-$kind.aot" ] && "$jdk/bin/java" ${trained_boot:+"$trained_boot"} $launcher_flags \
      -XX:AOTMode=on -XX:AOTCache="$1/ntrail-$2-$kind.aot" -cp "$(class_path_of "$1")" \
      io.ntrail.cli.Main --version >/dev/null 2>&1 </dev/null || return 1
  done
  run_caches=$all_caches
}

class_path_of() {
  path=
  for name in $(jar_names "$1"); do
    [ "$name" = picocli.jar ] || path=$path:$1/$name
  done
  echo "${path#:}"
}

boot_path_of() {
  [ -f "$1/current/picocli.jar" ] || echo "-Xbootclasspath/a:$1/picocli.jar"
}

# jar_names FOLDER: the program's own jar first, then the others by name.
jar_names() {
  printf ntrail-cli.jar
  for jar in "$1"/*.jar; do
    jar=${jar##*/}
    case $jar in
      ntrail-cli.jar) ;;
      *) [ ! -f "$1/current/$jar" ] || jar=current/$jar && printf ' %s' "$jar" ;;
    esac
  done
}

quote() {
  printf '%s' "$1" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/"
}

# lay_out SOURCES: makes the folder of the built jars unless it is there and right, and writes `run`.
lay_out() {
  digest=$(jars_digest "")
  folder=$dist/$digest
  mkdir -p "$dist"
  run_digest=
  [ ! -r "$dist/run" ] || . "$dist/run"
  before=$run_digest
  if [ ! -d "$folder" ] || [ "$(jars_digest "$folder")" != "$digest" ]; then
    rm -rf "$folder" "$dist"/new.*
    new=$dist/new.$$
    mkdir "$new"
    built_jars | while IFS= read -r jar; do
      cp "$jar" "$new/"
    done
    # What was copied is what was digested, or a build by hand runs at this moment.
    if [ "$(jars_digest "$new")" != "$digest" ]; then
      rm -rf "$new"
      echo "ntrail: the jars in $root/cli/target change while they are read: is another build running?" >&2
      give_up 1
    fi
    renew_classes "$new"
    mv "$new" "$folder"
    train "$folder" "$digest"
  elif ! trained "$folder" "$digest"; then
    train "$folder" "$digest"
  fi
  # Anew every time: they may be what was changed.
  run_answers=
  ! answers "$folder" "$folder/answers" || run_answers=answers

  run_format=$run_version
  run_key="${NTRAIL_JAVA_HOME-}|${JAVA_HOME-}|$PATH"
  run_jdk=$jdk run_jvm=$jvm run_digest=$digest run_flags=$launcher_flags run_sources=$1
  run_jars=$(jar_names "$folder")
  run_quit=-quit run_cnewer=-cnewer
  find "$folder" -prune -print -quit >/dev/null 2>&1 || run_quit=
  find "$folder" -prune -cnewer "$folder" >/dev/null 2>&1 || run_cnewer=-newer
  for name in format key jdk jvm digest flags sources jars caches answers quit cnewer; do
    eval "value=\$run_$name"
    echo "run_$name=$(quote "$value")"
  done >"$dist/run.$$"
  mv "$dist/run.$$" "$dist/run"

  for other in "$dist"/*/; do
    other=${other%/}
    case ${other##*/} in
      "$digest") ;;
      "$before") rm -f "$other"/*.aot ;;
      *) rm -rf "$other" ;;
    esac
  done
}

# without_writing: what can be done in a tree that this user may not change.
without_writing() {
  if [ "$run_format" != "$run_version" ]; then
    echo "ntrail: there is no build in $root, and this user may not write there" >&2
    echo "try: start ntrail once as a user who may" >&2
    exit 4
  fi
  if [ -e "$root/pom.xml" ] && [ "$(sources_digest)" != "$run_sources" ]; then
    echo "ntrail: the sources in $root are newer than the build, and this user may not write there" >&2
    echo "try: start ntrail once as a user who may" >&2
    exit 4
  fi
  [ "$(jars_digest "$dist/$run_digest")" = "$run_digest" ] || no_caches
  run_answers=
}

# during_check OWNER: the lock belongs to ./check, which changes nothing that is laid out, and what is
# laid out was made from the sources as they are.
during_check() {
  case $1 in *' ./check '*) ;; *) return 1 ;; esac
  read_run
  [ "$run_format" = "$run_version" ] && [ "$(sources_digest)" = "$run_sources" ] &&
    [ "$(jars_digest "$dist/$run_digest")" = "$run_digest" ]
}

read_run() {
  run_format= run_sources= run_digest=
  [ ! -r "$dist/run" ] || . "$dist/run"
}

# prepare: leaves jdk and the variables of `run` set, and everything they name in place.
prepare() {
  . "$root/build/jdk.sh"
  if ! find_jdk; then
    no_jdk >&2
    exit 4
  fi
  read_run
  if [ ! -e "$root/pom.xml" ]; then
    without_writing
    return
  fi
  locked=0
  take_lock "./ntrail to finish building" during_check || locked=$?
  [ $locked != 1 ] || without_writing
  [ $locked = 0 ] || {
    run_answers=
    return 0
  }
  # Another start may have done it while this one waited.
  read_run
  begun=$root/target/launcher-begun
  : >"$begun"
  sources=$(sources_digest)
  if [ "$sources" != "$run_sources" ] || [ ! -f "$root/cli/target/ntrail-cli.jar" ]; then
    build
    sources=$(unless_changed_since "$begun" "$sources")
  fi
  lay_out "$sources"
  free_lock
}

# unpacked: leaves jdk and the variables of `run` set for the jars of a package.
unpacked() {
  . "$root/build/jdk.sh"
  if ! find_jdk; then
    no_jdk >&2
    exit 4
  fi
  jars=$root/lib
  run_jars=$(jar_names "$jars") run_flags=$launcher_flags run_answers=answers
  no_caches
  # All files of a package have one time. With another it is a jar that was put there since.
  for jar in "$jars"/*.jar; do
    ! [ "$jar" -nt "$jars/answers/version.txt" ] && ! [ "$jar" -ot "$jars/answers/version.txt" ] ||
      run_answers=
  done
}

# unless_changed_since STAMP DIGEST: the digest, or a word that no digest equals when a source was
# written after the stamp: the next start then looks again.
unless_changed_since() (
  cd "$root" || exit
  if [ -n "$(find $(source_folders) -newer "$1" -print)" ]; then
    echo changed-while-building
  else
    echo "$2"
  fi
)
