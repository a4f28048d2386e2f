# Sourced by the scripts that install Debian packages.

# Installs those of the named packages that are missing; asks nothing, and waits for another apt to end.
install_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    dpkg-query --show --showformat '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep --quiet --line-regexp installed || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  echo "installing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
  fi
  refresh_package_lists "${as_root[@]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install --yes --quiet --no-install-recommends "${missing[@]}"
}

# The lock on the lists has no timeout of its own, hence the tries. Arguments: a command to become root, or none.
refresh_package_lists() {
  local try
  for try in 1 2 3 4 5; do
    if "$@" apt-get update --quiet; then
      return
    fi
    echo "apt-get update failed (try $try of 5)" >&2
    sleep 10
  done
  return 1
}

# What building the `strata` command needs.
build_packages=(
  build-essential ccache cmake libarchive-dev libcli11-dev libonnx-dev libprotobuf-dev
  libprotozero-dev lld-19 ninja-build nlohmann-json3-dev protobuf-compiler
)
