# Finds a JDK of version 25 or newer without starting one: a JVM start costs 30 ms and more, its
# "release" file costs nothing. Sourced by ./ntrail, ./check and .ci/run; POSIX sh, and no process is
# started unless `java` on the PATH has to be followed through symbolic links.
#
#   find_jdk [javac]   sets jdk (the folder) and jvm (its version string), or returns 1 and leaves
#                      what was seen in jdk_seen. With "javac", a run-time image alone will not do.
#   no_jdk             says so, and what to install here.
#
# Order: NTRAIL_JAVA_HOME (nothing else is looked at when it is set), JAVA_HOME, java on the PATH,
# then the folders where systems and version managers put JDKs: there a 25 goes before a newer one.

# read_release HOME: sets release_major and release_jvm, or returns 1.
read_release() {
  release_major= release_jvm= release_vendor=
  [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
  release_runtime=
  while IFS= read -r release_line || [ -n "$release_line" ]; do
    release_value=${release_line#*=\"}
    release_value=${release_value%\"*}
    case $release_line in
      IMPLEMENTOR=*) release_vendor=$release_value ;;
      JAVA_RUNTIME_VERSION=*) release_runtime=$release_value ;;
      JAVA_VERSION=*)
        release_major=${release_value%%[!0-9]*}
        release_jvm=$release_value
        [ -z "$release_runtime" ] || break
        ;;
    esac
  done <"$1/release"
  [ -n "$release_major" ] || return 1
  release_jvm="${release_runtime:-$release_jvm} $release_vendor"
}

# try_jdk HOME WHERE [javac]: takes HOME if it will do, else notes why not.
try_jdk() {
  [ -d "$1" ] || return 1
  if ! read_release "$1"; then
    [ "$2" = "a usual folder" ] || jdk_seen="$jdk_seen
  $2: $1 has no bin/java and readable release file"
    return 1
  fi
  if [ "$release_major" -lt 25 ]; then
    jdk_seen="$jdk_seen
  $2: Java ${release_jvm%% *} in $1"
    return 1
  fi
  if [ "${3-}" = javac ] && [ ! -x "$1/bin/javac" ]; then
    jdk_seen="$jdk_seen
  $2: Java ${release_jvm%% *} in $1, but without a compiler (bin/javac)"
    return 1
  fi
  jdk=$1 jvm=$release_jvm
}

find_jdk() {
  jdk= jvm= jdk_seen=
  if [ -n "${NTRAIL_JAVA_HOME-}" ]; then
    [ -d "$NTRAIL_JAVA_HOME" ] || jdk_seen="
  NTRAIL_JAVA_HOME: there is no folder $NTRAIL_JAVA_HOME"
    try_jdk "$NTRAIL_JAVA_HOME" NTRAIL_JAVA_HOME "${1-}"
    return
  fi
  if [ -n "${JAVA_HOME-}" ]; then
    try_jdk "$JAVA_HOME" JAVA_HOME "${1-}" && return 0
  fi

  jdk_rest=$PATH:
  while [ -n "$jdk_rest" ]; do
    jdk_dir=${jdk_rest%%:*}
    jdk_rest=${jdk_rest#*:}
    jdk_java=${jdk_dir:-.}/java
    [ -x "$jdk_java" ] || continue
    if [ -h "$jdk_java" ]; then
      jdk_java=$(readlink -f "$jdk_java" 2>/dev/null) || continue
    fi
    case $jdk_java in
      */bin/java) try_jdk "${jdk_java%/bin/java}" "java on the PATH" "${1-}" && return 0 ;;
    esac
    break
  done

  jdk_newer= jvm_newer=
  jdk_home=${HOME:-/nonexistent}
  for jdk_dir in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "$jdk_home"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
    "$jdk_home"/.jdks/* "$jdk_home"/.sdkman/candidates/java/* "$jdk_home"/.jbang/cache/jdks/* \
    "$jdk_home"/.gradle/jdks/* "$jdk_home"/.gradle/jdks/*/Contents/Home \
    "$jdk_home"/.asdf/installs/java/* "$jdk_home"/.local/share/mise/installs/java/*; do
    if [ ! -h "$jdk_dir" ] && try_jdk "$jdk_dir" "a usual folder" "${1-}"; then
      [ "$release_major" -gt 25 ] || return 0
      [ -n "$jdk_newer" ] || jdk_newer=$jdk jvm_newer=$jvm
    fi
  done
  jdk=$jdk_newer jvm=$jvm_newer
  [ -n "$jdk" ]
}

# The one line that installs a JDK 25 on this system, as far as it is known.
jdk_advice() {
  case $(uname -s) in
    Darwin) echo 'brew install --cask temurin@25' && return ;;
  esac
  os=$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}")
  case $os in
    'debian 1'[3-9]* | 'ubuntu 25.10'* | 'ubuntu 2'[6-9]*) echo 'sudo apt-get install openjdk-25-jdk' ;;
    fedora*) echo 'sudo dnf install java-25-openjdk-devel' ;;
    alpine*) echo 'sudo apk add openjdk25' ;;
    arch*) echo 'sudo pacman -S jdk-openjdk' ;;
    opensuse*) echo 'sudo zypper install java-25-openjdk-devel' ;;
    debian* | ubuntu*)
      echo "sdk install java 25-tem (SDKMAN), or Eclipse Temurin's package temurin-25-jdk: this release has no JDK 25 of its own"
      ;;
    *) echo 'sdk install java 25-tem (SDKMAN), or unpack any JDK 25 and set NTRAIL_JAVA_HOME to its folder' ;;
  esac
}

no_jdk() {
  echo "ntrail: needs a JDK of version 25 or newer, and there is none on this system"
  if [ -n "$jdk_seen" ]; then
    echo "looked at:$jdk_seen"
  else
    echo "looked at NTRAIL_JAVA_HOME, JAVA_HOME, the PATH and the usual folders, and found no Java at all"
  fi
  echo "try: $(jdk_advice)"
}
